import Foundation
import TestSupport

/// Where the project's own source stands.
let projectFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// Where the programs of the build stand that this test is part of.
let productsFolder = builtProgram("modelgen").deletingLastPathComponent()
