// One module on the page.
#pragma once

#include "report/html/report.h"

#include <cstddef>
#include <string>

namespace lanewise::driver {

/// Counts that tables and headings show.
struct RemarkCounts {
  uint64_t applied = 0, missed = 0, undone = 0;
};
RemarkCounts countRemarks(const Remarks& remarks);

/// How much of a subject is shown.
enum class Detail {
  All,
  Remarks, ///< without source and diffs
  Counts   ///< what the tables say anyway is left out
};

/// The answer in three cards: equal? faster? what changed?
std::string answerCards(const ReportSubject& subject);
/// All but the heading and the cards.
std::string subjectSections(const ReportSubject& subject, Detail detail);

/// The program whose time stands for a subject: the first beside the original. Null where it was
/// not timed.
const VariantReport* timedVariant(const ReportSubject& subject);
const TimingResult* decidingTiming(const ReportSubject& subject);

/// A table as a section with its title.
std::string tableSection(const ReportTable& table);

/// A card of the answer.
std::string card(const std::string& role, const std::string& question, const std::string& answer,
                 const std::string& more);

} // namespace lanewise::driver
