"""What lanewise_compile_shaders() makes of its arguments."""

import shutil
import time
import unittest

from project import GENERATORS, PREAMBLE, SHADER, Project


class Function(unittest.TestCase):
    def project(self, text, generator="Ninja", files=None):
        """A project with the shaders a.comp and b.comp and these lines in its CMakeLists.txt."""
        project = Project(generator)
        self.addCleanup(project.close)
        project.write({"CMakeLists.txt": PREAMBLE + text, "a.comp": SHADER, "b.comp": SHADER.replace("1u", "2u"),
                       **(files or {})})
        return project

    def built(self, text, generator="Ninja", files=None):
        project = self.project(text, generator, files)
        self.assertEqual(project.configure(), 0, project.output)
        self.assertEqual(project.build("--verbose"), 0, project.output)
        return project

    def refused(self, text, message):
        project = self.project(text)
        self.assertNotEqual(project.configure(), 0)
        self.assertIn(message, " ".join(project.output.split()))

    def exists(self, project, *names):
        for name in names:
            self.assertTrue((project.build_folder / name).is_file(), name)

    # What comes out.

    def test_target_of_its_own(self):
        project = self.built("lanewise_compile_shaders(TARGET t SOURCES a.comp b.comp)")
        self.exists(project, "t_shaders/a.comp.spv", "t_shaders/b.comp.spv")
        self.assertNotEqual(*((project.build_folder / f"t_shaders/{name}.comp.spv").read_bytes() for name in "ab"))
        self.assertIn(" opt ", project.output)
        self.assertIn(" -O ", project.output)

    def test_kinds_of_sources(self):
        hlsl = "RWStructuredBuffer<uint> data;\n[numthreads(32, 1, 1)] void main(uint3 t : SV_DispatchThreadID) { data[t.x] += 1; }\n"
        project = self.built(
            "lanewise_compile_shaders(TARGET t SOURCES a.comp OUTPUT_DIRECTORY first)\n"
            "lanewise_compile_shaders(TARGET u SOURCES sub/c.comp.hlsl ${CMAKE_BINARY_DIR}/first/a.comp.spv)\n"
            "add_dependencies(u t)\n", files={"sub/c.comp.hlsl": hlsl})
        self.exists(project, "first/a.comp.spv", "u_shaders/sub/c.comp.hlsl.spv", "u_shaders/first/a.comp.spv")

    def test_properties_that_come_too_late(self):
        for value in ("LANEWISE_OPTIONS \"-g;--robust\"", "LANEWISE_DEFINES N=3", "LANEWISE_NAME later"):
            self.refused("lanewise_compile_shaders(TARGET t SOURCES a.comp EMBED)\n"
                         f"set_source_files_properties(a.comp PROPERTIES {value})\n",
                         f"{value.split()[0]} of '")
        self.built("set_source_files_properties(a.comp PROPERTIES LANEWISE_OPTIONS \"-g;--robust\")\n"
                   "lanewise_compile_shaders(TARGET t SOURCES a.comp)\n"
                   "set_source_files_properties(a.comp PROPERTIES LANEWISE_OPTIONS \"-g;--robust\" OTHER 1)\n")

    def test_places_and_names(self):
        project = self.built(
            "lanewise_compile_shaders(TARGET t SOURCES sub/a.comp OUTPUT_DIRECTORY out BASE_DIRECTORY sub EMBED\n"
            "  NAMESPACE my::shaders OUTPUTS made)\n"
            "set_source_files_properties(b.comp PROPERTIES LANEWISE_NAME second)\n"
            "lanewise_compile_shaders(TARGET u SOURCES b.comp EMBED)\n"
            "file(WRITE ${CMAKE_BINARY_DIR}/made \"${made}\")\n", files={"sub/a.comp": SHADER})
        header = (project.build_folder / "out/a.comp.h").read_text()
        self.assertIn("namespace my::shaders {", header)
        self.assertIn("inline constexpr std::uint32_t a_comp[]", header)
        header = (project.build_folder / "u_shaders/b.comp.h").read_text()
        self.assertIn("namespace u_shaders {", header)
        self.assertIn("std::uint32_t second[]", header)
        out = project.build_folder / "out"
        self.assertEqual((project.build_folder / "made").read_text(), f"{out}/a.comp.spv;{out}/a.comp.h")

    def test_options_reach_the_program(self):
        project = self.built(
            "set_source_files_properties(b.comp PROPERTIES LANEWISE_OPTIONS \"-g;--ssa-rewrite\" LANEWISE_DEFINES B=1)\n"
            "lanewise_compile_shaders(TARGET t SOURCES a.comp b.comp OPTIONS --strip-debug --target=nvidia\n"
            "  DEFINES \"TEXT=a b\" N=1 INCLUDE_DIRECTORIES \"in clude\" ${CMAKE_SOURCE_DIR}/other)\n",
            files={"in clude/x": ""})
        one, two = (next(line for line in project.output.splitlines() if f"/{name}.comp" in line and " opt " in line)
                    for name in "ab")
        for line in (one, two):
            self.assertIn(" --strip-debug --target=nvidia -q ", line)
            self.assertNotIn(" -O ", line)
            self.assertIn('"-DTEXT=a b" -DN=1', line.replace("\\", ""))
            self.assertIn(f'"-I{project.source}/in clude"', line)
        self.assertNotIn("-g", one.split())
        self.assertIn(" -DB=1 -g --ssa-rewrite ", two)

    def test_generated_sources(self):
        for generator in GENERATORS:
            project = self.built(
                "add_custom_command(OUTPUT made.comp COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/a.comp made.comp\n"
                "  DEPENDS a.comp)\n"
                "add_custom_command(OUTPUT made.glsl COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/part made.glsl\n"
                "  DEPENDS part)\n"
                "lanewise_compile_shaders(TARGET t SOURCES ${CMAKE_CURRENT_BINARY_DIR}/made.comp c.comp\n"
                "  INCLUDE_DIRECTORIES ${CMAKE_CURRENT_BINARY_DIR} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/made.glsl)\n",
                generator, {"part": "// nothing\n", "c.comp": SHADER.replace("layout(l", '#include "made.glsl"\nlayout(l', 1)})
            self.exists(project, "t_shaders/made.comp.spv", "t_shaders/c.comp.spv")

    def test_one_shader_of_several_targets(self):
        text = "lanewise_compile_shaders(TARGET {0} SOURCES a.comp OUTPUT_DIRECTORY shared EMBED NAMESPACE s {1})\n"
        for generator in GENERATORS:
            project = self.project(text.format("t", "") + text.format("u", ""), generator)
            self.assertEqual(project.configure(), 0, project.output)
            self.assertEqual(project.build(), 0, project.output)
            self.assertEqual(len(project.lines("Optimizing shader")), 1, project.output)
        self.refused(text.format("t", "") + text.format("u", "DEFINES X"),
                     "is made already for 't', of another source or with other options")

    def test_existing_target_may_stand_elsewhere(self):
        project = self.built("add_custom_target(app ALL)\nadd_subdirectory(sub)\n", files={
            "sub/CMakeLists.txt": "lanewise_compile_shaders(TARGET app SOURCES ../a.comp)\n"
                                  "lanewise_compile_shaders(TARGET app SOURCES ../b.comp OUTPUT_DIRECTORY more)\n"})
        self.exists(project, "sub/app_shaders/a.comp.spv", "sub/more/b.comp.spv")

    def test_multi_config(self):
        project = self.built(
            "lanewise_compile_shaders(TARGET t SOURCES a.comp)\n"
            "lanewise_compile_shaders(TARGET u SOURCES a.comp OPTIONS -O $<$<CONFIG:Debug>:-g>\n"
            "  OUTPUT_DIRECTORY shaders/$<CONFIG>)\n", "Ninja Multi-Config")
        self.exists(project, "t_shaders/a.comp.spv", "shaders/Debug/a.comp.spv")
        self.assertEqual(project.build("--config", "Release"), 0, project.output)
        self.assertEqual(len(project.lines("Optimizing shader")), 1, project.output) # t's is one for all
        debug, release = ((project.build_folder / f"shaders/{name}/a.comp.spv").read_bytes() for name in ("Debug", "Release"))
        self.assertGreater(len(debug), len(release))
        other = self.project("lanewise_compile_shaders(TARGET u SOURCES a.comp OPTIONS $<$<CONFIG:Debug>:-g>)", "Ninja Multi-Config")
        self.assertNotEqual(other.configure(), 0)
        self.assertIn("need an OUTPUT_DIRECTORY", " ".join(other.output.split()))

    def test_translations(self):
        for generator in GENERATORS:
            project = self.built(
                "lanewise_compile_shaders(TARGET t SOURCES a.comp EMBED TO glsl essl hlsl spvasm)\n"
                "lanewise_compile_shaders(TARGET u SOURCES a.comp EMBED TO msl spv TRANSPILE_OPTIONS --rename-entry=go)\n", generator)
            for language, sign in (("glsl", "#version 450"), ("essl", "#version 310 es"), ("hlsl", "numthreads(32, 1, 1)"),
                                   ("msl", "kernel void go("), ("spvasm", "OpEntryPoint GLCompute")):
                folder = project.build_folder / ("u_shaders" if language == "msl" else "t_shaders")
                text = (folder / f"a.comp.{language}").read_text()
                self.assertIn(sign, text)
                header = (folder / f"a.comp.{language}.h").read_text()
                self.assertIn(f"inline constexpr char a_comp_{language}[]", header)
                self.assertIn(text, header)
            self.assertFalse((project.build_folder / "t_shaders/a.comp.h").exists())
            self.exists(project, "u_shaders/a.comp.spv", "u_shaders/a.comp.h")
            time.sleep(0.02)
            project.write({"a.comp": "// a comment\n" + SHADER})
            before = project.times()
            self.assertEqual(project.build(), 0)
            self.assertEqual(len(project.lines("Optimizing")), 2)
            after = project.times()
            for name in ("t_shaders/a.comp.glsl.h", "u_shaders/a.comp.spv", "u_shaders/a.comp.msl.h"):
                self.assertEqual(before[name], after[name], name)
            if generator == "Ninja":
                self.assertEqual(project.lines("Translating"), [])

    # What is built again.

    def test_only_what_changed(self):
        for generator in GENERATORS:
            project = self.built("lanewise_compile_shaders(TARGET t SOURCES a.comp b.comp EMBED)", generator)
            time.sleep(0.02)
            project.write({"a.comp": SHADER.replace("1u", "3u")})
            self.assertEqual(project.build(), 0)
            self.assertEqual((len(project.lines("Optimizing shader a.comp")), len(project.lines("Optimizing shader b.comp"))), (1, 0))
            self.assertEqual(len(project.lines("Embedding")), 1)

    def test_scenario_and_verification(self):
        scenario = ('[[shader]]\nname = "a"\nfile = "a.comp"\n[[buffer]]\nname = "data"\ntype = "u32"\ncount = 64\n'
                    'init = { kind = "iota" }\n'
                    '[[dispatch]]\nshader = "a"\ngroups = [2]\nbind = { 0 = "data" }\n')
        project = self.project(
            "lanewise_compile_shaders(TARGET t SOURCES a.comp SCENARIO a.toml REQUIRE_VERIFIED JOB_POOL gpu\n"
            "  OPTIONS -O --device=interpreter)\nset_property(GLOBAL PROPERTY JOB_POOLS gpu=1)\n", files={"a.toml": scenario})
        self.assertEqual(project.configure(), 0, project.output)
        self.assertEqual(project.build("--verbose"), 0, project.output)
        self.assertIn("--verify --no-timing --require-verified", project.output)
        self.assertNotIn("verified\n", project.output)  # silent when all is well
        self.assertIn("pool = gpu", (project.build_folder / "build.ninja").read_text())
        # The depfile has the scenario, and the data that it names.
        for files in ({"a.toml": scenario.replace("64", "128")},
                      {"a.toml": scenario.replace('kind = "iota"', 'kind = "file", path = "data.bin"'), "data.bin": "x" * 256},
                      {"data.bin": "y" * 256}):
            time.sleep(0.02)
            project.write(files)
            self.assertEqual(project.build(), 0, project.output)
            self.assertEqual(len(project.lines("Optimizing shader")), 1, project.output)

    def test_recorded_pipelines(self):
        recorded = '[[pipeline]]\nfile = "a.comp"\ndispatches = [ { groups = [2, 1, 1] } ]\n'
        project = self.project("lanewise_compile_shaders(TARGET t SOURCES a.comp PIPELINES p.toml OPTIONS -O --remarks=all)\n",
                               files={"p.toml": recorded})
        self.assertEqual(project.configure(), 0, project.output)
        self.assertEqual(project.build("--verbose"), 0, project.output)
        self.assertIn("[pipelines:recorded-pipelines]", project.output)
        time.sleep(0.02)
        project.write({"p.toml": recorded.replace("2", "3")})
        self.assertEqual(project.build(), 0, project.output)
        self.assertEqual(len(project.lines("Optimizing shader")), 1, project.output)

    def test_tuning(self):
        """What was tuned is for the modules that the file has; it is an input of the build."""
        tuned = "# nothing yet\n"
        project = self.project("lanewise_compile_shaders(TARGET t SOURCES a.comp TUNING t.toml OPTIONS -O --remarks=all)\n",
                               files={"t.toml": tuned})
        self.assertEqual(project.configure(), 0, project.output)
        self.assertEqual(project.build("--verbose"), 0, project.output)
        self.assertIn("[tuning:no-choice]", project.output)
        time.sleep(0.02)
        project.write({"t.toml": tuned + "# now\n"})
        self.assertEqual(project.build(), 0, project.output)
        self.assertEqual(len(project.lines("Optimizing shader")), 1, project.output)

    def test_new_program(self):
        """Another version of the program makes everything anew."""
        project = self.project("lanewise_compile_shaders(TARGET t SOURCES a.comp)")
        copy = project.folder / "lanewise"
        shutil.copy(PREAMBLE.split('IMPORTED_LOCATION "')[1].split('"')[0], copy)
        text = project.source / "CMakeLists.txt"
        text.write_text(text.read_text().replace(PREAMBLE.split('IMPORTED_LOCATION "')[1].split('"')[0], str(copy)))
        self.assertEqual(project.configure(), 0, project.output)
        self.assertEqual(project.build(), 0, project.output)
        self.assertEqual(project.build(), 0)
        self.assertEqual(project.lines("Optimizing"), [])
        time.sleep(0.02)
        copy.touch()
        self.assertEqual(project.build(), 0)
        self.assertEqual(len(project.lines("Optimizing")), 1)

    def test_launcher(self):
        for generator in GENERATORS:
            project = self.built("set(LANEWISE_LAUNCHER ${CMAKE_COMMAND} -E env BY=launcher)\n"
                                 "lanewise_compile_shaders(TARGET t SOURCES a.comp EMBED)\n", generator)
            for step in (" opt ", " embed "):
                line = next(line for line in project.output.splitlines() if step in line and "lanewise" in line)
                self.assertRegex(line, f'-E env BY=launcher [^ ]*lanewise"?{step}')

    # What is refused.

    def test_refusals(self):
        call = "lanewise_compile_shaders(TARGET t SOURCES a.comp {})"
        for arguments, message in (
                ("SPEED", "SOURCES SPEED: there is no file"),
                ("EMBED fast", "unknown argument 'fast'"),
                ("OPTIONS", "nothing stands behind OPTIONS"),
                ("TO metal", "TO metal: it is spv, spvasm, glsl, essl, hlsl or msl"),
                ("NAMESPACE n", "say EMBED as well"),
                ("TRANSPILE_OPTIONS --x", "TRANSPILE_OPTIONS without TO"),
                ("OPTIONS -o x", "OPTIONS -o: outputs and depfiles are the function's own affair"),
                ("OPTIONS -MD", "OPTIONS -MD: "),
                ("OPTIONS -S", "say TO spvasm"),
                ("OPTIONS --diff", "OPTIONS --diff is for looking"),
                ("OPTIONS --scenario=s.toml", "say SCENARIO file"),
                ("SCENARIO gone.toml", "SCENARIO: there is no file"),
                ("OPTIONS --pipelines=p.toml", "say PIPELINES file"),
                ("OPTIONS --per-pipeline", "a source has one output here"),
                ("OPTIONS --tuning=t.toml", "say TUNING file"),
                ("TUNING gone.toml", "TUNING: there is no file"),
                ("PIPELINES gone.toml", "PIPELINES: there is no file"),
                ("SCENARIO s.toml PIPELINES p.toml", "both say constants"),
        ):
            with self.subTest(arguments):
                self.refused(call.format(arguments), message)
        for text, message in (
                ("lanewise_compile_shaders(SOURCES a.comp)", "TARGET is missing"),
                ("lanewise_compile_shaders(TARGET t)", "SOURCES is missing: the shaders of 't'"),
                ("lanewise_compile_shaders(TARGET t SOURCES gone.comp)", "SOURCES gone.comp: there is no file"),
                ("lanewise_compile_shaders(TARGET t SOURCES .)", "it is a folder"),
                ("lanewise_compile_shaders(TARGET Lanewise::lanewise_program SOURCES a.comp)", "is imported"),
                ("lanewise_compile_shaders(TARGET t SOURCES a.comp sub/a.comp EMBED)\n", "would both define t_shaders::a_comp"),
        ):
            with self.subTest(text):
                project = self.project(text, files={"sub/a.comp": SHADER})
                self.assertNotEqual(project.configure(), 0)
                self.assertIn(message, " ".join(project.output.split()))

    def test_without_program(self):
        project = self.project("lanewise_compile_shaders(TARGET t SOURCES a.comp)")
        text = project.source / "CMakeLists.txt"
        text.write_text("".join(line for line in text.read_text().splitlines(True) if "lanewise_program" not in line))
        self.assertNotEqual(project.configure(), 0)
        self.assertIn("install the component Runtime", " ".join(project.output.split()))


if __name__ == "__main__":
    unittest.main()
