// The other side of DeviceWorker: answers its requests with Vulkan.
#pragma once

#include "verify/device/device_connection.h"
#include "verify/device/driver_activity.h"

namespace lanewise::driver {

/// Until the connection ends.
void serveDevice(DeviceConnection& connection, DriverActivity& activity);

} // namespace lanewise::driver
