// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

// One row per module, with the modules it may import. Products and settings are derived below. A
// test (HouseTests) greps the imports of every module against this table.

/// How a module is built.
enum Kind {
    /// A door to a system library: a module map and a shim, nothing else.
    case door(pkgConfig: String, debian: String)
    case c
    case swift
    case tool
    /// A program that works on code.
    case syntaxTool
    /// Works on code, with the toolchain's own SwiftSyntax.
    case syntax
    /// Runs inside the compiler. It holds no more than its entry: whatever tests depend on a macro
    /// is built a second time, with all that these depend on.
    case macro
    /// Runs inside a build of its users, in front of a tool.
    case plugin
}

let modules: [(name: String, kind: Kind, imports: [String])] = [
    ("CSQLite", .door(pkgConfig: "sqlite3", debian: "libsqlite3-dev"), []),
    ("CArchive", .door(pkgConfig: "libarchive", debian: "libarchive-dev"), []),
    ("CZlib", .door(pkgConfig: "zlib", debian: "zlib1g-dev"), []),
    ("CDeflate", .door(pkgConfig: "libdeflate", debian: "libdeflate-dev"), []),
    ("CSystem", .c, []),
    ("FileSystem", .swift, ["CSystem"]),
    ("Coding", .swift, ["CZlib", "CDeflate", "CSystem"]),
    ("SQLiteFile", .swift, ["Coding", "FileSystem"]),
    ("SQLiteKit", .swift, ["CSQLite", "SQLiteFile", "FileSystem"]),
    ("ArchiveKit", .swift, ["CArchive", "FileSystem", "Coding"]),
    ("Schema", .swift, ["Coding"]),
    ("ModelFiles", .swift, ["Schema", "Coding"]),
    ("Query", .swift, ["Schema", "Coding"]),
    ("ModelCodegen", .swift, ["Schema"]),
    ("RowMemory", .swift, ["Schema", "CSystem"]),
    ("Storage", .swift, ["RowMemory", "Query", "Schema", "Coding", "FileSystem"]),
    (
        "SQLiteStore", .swift,
        [
            "Storage", "RowMemory", "Query", "Schema", "SQLiteKit", "SQLiteFile", "ModelFiles", "Coding", "FileSystem",
        ]
    ),
    ("AtomicStores", .swift, ["Storage", "RowMemory", "Query", "Schema", "ModelFiles", "Coding", "FileSystem"]),
    ("ObjectGraph", .swift, ["Storage", "RowMemory", "Query", "Schema"]),
    ("Migration", .swift, ["ObjectGraph", "Storage", "Query", "Schema", "ModelFiles"]),
    (
        "Stack", .swift,
        ["ObjectGraph", "Migration", "SQLiteStore", "AtomicStores", "Storage", "Query", "ModelFiles", "Schema"]
    ),
    (
        "DocumentFiles", .swift,
        [
            "SQLiteStore", "AtomicStores", "ArchiveKit", "SQLiteKit", "SQLiteFile", "Storage", "RowMemory", "Query",
            "ModelFiles", "Schema", "Coding", "FileSystem",
        ]
    ),
    (
        "FileMigration", .swift,
        [
            "DocumentFiles", "Migration", "ObjectGraph", "SQLiteStore", "AtomicStores", "Storage", "Query",
            "ModelFiles", "Schema", "FileSystem",
        ]
    ),
    (
        "Merging", .swift,
        [
            "FileMigration", "DocumentFiles", "ObjectGraph", "SQLiteStore", "Storage", "RowMemory", "Schema", "Coding",
            "FileSystem",
        ]
    ),
    (
        "DocumentKit", .swift,
        [
            "Merging", "FileMigration", "DocumentFiles", "Migration", "ObjectGraph", "SQLiteStore", "Storage", "Query",
            "Schema", "FileSystem",
        ]
    ),
    ("ModelMacros", .syntax, []),
    ("FolioMacros", .macro, ["ModelMacros"]),
    (
        "Folio", .swift,
        [
            "FolioMacros", "DocumentKit", "Merging", "FileMigration", "DocumentFiles", "Stack", "Migration",
            "ObjectGraph", "SQLiteStore",
            "Storage", "Query", "ModelFiles", "Schema", "ArchiveKit", "SQLiteKit", "FileSystem", "Coding",
        ]
    ),
    (
        "CoreData", .swift,
        [
            "Folio", "FolioMacros", "Stack", "Migration", "ObjectGraph", "SQLiteStore", "Storage", "Query",
            "ModelFiles", "Schema", "CSystem",
        ]
    ),
    ("PortReport", .swift, []),
    ("SourcePort", .syntax, ["PortReport"]),
    ("FolioPort", .syntaxTool, ["SourcePort", "PortReport"]),
    ("Interchange", .swift, ["Folio", "DocumentFiles", "RowMemory", "Coding"]),
    ("Server", .swift, ["Interchange", "Folio", "DocumentFiles", "Coding"]),
    (
        "FolioCommands", .swift,
        ["Server", "Interchange", "Folio", "ModelCodegen", "DocumentFiles", "PortReport", "RowMemory", "Coding"]
    ),
    ("CFolio", .c, []),
    ("FolioC", .swift, ["CFolio", "Interchange", "Folio", "DocumentFiles", "RowMemory", "Coding"]),
    ("CFolioTool", .c, []),
    ("FolioTool", .tool, ["FolioCommands", "CFolioTool"]),
    ("FolioBenchmarks", .tool, ["Folio", "FolioC", "CFolio", "CSQLite"]),
    ("modelgen", .tool, ["ModelCodegen", "ModelFiles", "Schema"]),
    ("FolioModels", .plugin, ["modelgen"]),
]

/// Test targets beside the one that mirrors each Swift module, with what they import.
let testModules: [(name: String, imports: [String])] = [
    ("FileSystemTests", ["FileSystem"]),
    ("CodingTests", ["Coding"]),
    ("SQLiteFileTests", ["SQLiteFile", "SQLiteKit", "FileSystem"]),
    ("SQLiteKitTests", ["SQLiteKit", "SQLiteFile", "FileSystem"]),
    ("ArchiveKitTests", ["ArchiveKit", "FileSystem", "Coding"]),
    ("SchemaTests", ["Schema"]),
    ("ModelFilesTests", ["ModelFiles", "Schema", "Coding"]),
    ("QueryTests", ["Query", "Schema", "Coding"]),
    ("ModelCodegenTests", ["ModelCodegen", "ModelFiles", "Schema"]),
    ("RowMemoryTests", ["RowMemory", "Schema"]),
    ("StorageTests", ["Storage", "RowMemory", "Schema", "FileSystem"]),
    (
        "SQLiteStoreTests",
        [
            "SQLiteStore", "Storage", "RowMemory", "Query", "Schema", "SQLiteKit", "SQLiteFile", "ModelFiles",
            "FileSystem",
        ]
    ),
    (
        "AtomicStoresTests",
        ["AtomicStores", "Storage", "RowMemory", "Query", "Schema", "ModelFiles", "Coding", "FileSystem"]
    ),
    (
        "StoreContractTests",
        [
            "StoreWorker", "Stack", "ObjectGraph", "AtomicStores", "SQLiteStore", "SQLiteKit", "FileSystem", "Coding",
            "Storage", "RowMemory", "Query", "Schema", "ModelFiles",
        ]
    ),
    ("ObjectGraphTests", ["ObjectGraph", "Storage", "RowMemory", "Query", "Schema", "SQLiteStore", "Stack"]),
    (
        "MigrationTests",
        [
            "Migration", "Stack", "ObjectGraph", "SQLiteStore", "Storage", "RowMemory", "Query", "Schema", "SQLiteKit",
            "ModelFiles",
        ]
    ),
    (
        "DocumentKitTests",
        [
            "DocumentKit", "Merging", "FileMigration", "DocumentFiles", "ArchiveKit", "Stack", "Migration", "Coding",
            "ObjectGraph", "SQLiteStore",
            "Storage", "RowMemory", "Query", "ModelFiles", "Schema", "SQLiteKit", "SQLiteFile", "FileSystem",
            "MergeTriples",
        ]
    ),
    ("FolioTests", ["Folio", "Interchange", "ArchiveKit", "SQLiteKit", "FileSystem", "Coding"]),
    ("CoreDataTests", ["CoreData"]),
    ("ModelMacrosTests", ["ModelMacros"]),
    ("SourcePortTests", ["SourcePort", "PortReport"]),
    ("InterchangeTests", ["Interchange", "Folio", "Coding"]),
    ("ServerTests", ["Server", "Interchange", "Folio", "Coding"]),
    ("CommandTests", ["FolioCommands", "FolioTool", "FolioPort", "Folio", "SQLiteKit"]),
    ("DocumentSamplesTests", ["FolioTool", "Folio", "Coding", "CSQLite"]),
    (
        "CorpusTests",
        ["Folio", "SQLiteStore", "Storage", "RowMemory", "ModelFiles", "Query", "Schema", "SQLiteKit", "Coding"]
    ),
    ("FolioCTests", ["FolioC"]),
    ("CrashTests", ["CrashDriver"]),
    ("FuzzTests", ["FuzzDriver", "FolioTool"]),
    ("OutsidePackageTests", ["modelgen", "Folio", "CoreData"]),
    ("HouseTests", []),
    ("ManualTests", ["FolioTool", "FolioPort", "Folio", "CSQLite"]),
]

/// What stands in a target's folder and is none of its sources.
let excluded: [String: [String]] = [
    "FolioC": ["python"], "FolioCommands": ["Serve/Editors"], "FolioCTests": ["Programs"],
    "SourcePortTests": ["AppleForm"], "CoreDataTests": ["Generated/Ledger.xcdatamodel"],
]

/// What stands in `Tests` and is no test: the processes that crash tests watch, and what watches
/// them.
let testTools: [(name: String, kind: Kind, imports: [String])] = [
    ("CrashSupervisor", .c, []),
    ("StoreWorker", .tool, ["Stack", "ObjectGraph", "Storage", "Query", "Schema"]),
    (
        "CrashDriver", .tool,
        [
            "CrashSupervisor", "DocumentKit", "Merging", "FileMigration", "DocumentFiles", "Migration", "ObjectGraph",
            "Storage", "Query", "Schema",
            "SQLiteKit", "SQLiteFile", "FileSystem",
        ]
    ),
    (
        "FuzzDriver", .tool,
        [
            "DocumentFiles", "ArchiveKit", "AtomicStores", "SQLiteKit", "SQLiteFile", "Storage", "Schema", "ModelFiles",
            "Coding", "FileSystem", "TestSupport",
        ]
    ),
    (
        "MergeTriples", .swift,
        ["DocumentKit", "Merging", "DocumentFiles", "ObjectGraph", "Query", "Schema", "TestSupport"]
    ),
    ("MergeLaws", .tool, ["MergeTriples", "DocumentKit", "Merging", "DocumentFiles"]),
]

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Where the toolchain that reads this manifest keeps the libraries of the compiler, SwiftSyntax
/// among them: beside the Foundation that the manifest itself runs on.
let host: String = {
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    let library = maps.split(separator: "\n").lazy.compactMap { $0.split(separator: " ").last }.first {
        $0.hasSuffix("/linux/libFoundation.so")
    }
    let folders = library.map { ["\($0.dropLast("linux/libFoundation.so".count))host"] } ?? []
    let programs = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map {
        "\($0)/../lib/swift/host"
    }
    return (folders + programs).first { FileManager.default.fileExists(atPath: $0 + "/libSwiftSyntax.so") }
        ?? "/usr/lib/swift/host"
}()

/// What it takes to import and link SwiftSyntax.
let syntaxSettings: [SwiftSetting] = [.unsafeFlags(["-I", host])]
let syntaxLinking: [LinkerSetting] = [
    .unsafeFlags(
        ["-L", host, "-Xlinker", "-rpath", "-Xlinker", host]
            + [
                "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftSyntaxMacroExpansion",
                "SwiftDiagnostics", "SwiftCompilerPluginMessageHandling",
                "SwiftBasicFormat", "SwiftParser", "SwiftParserDiagnostics", "SwiftOperators",
            ].map { "-l\($0)" })
]

func dependencies(_ names: [String]) -> [Target.Dependency] {
    names.map { .target(name: $0) }
}

func target(_ name: String, _ kind: Kind, _ imports: [String], in folder: String) -> Target {
    let path = "\(folder)/\(name)"
    return switch kind {
    case .door(let pkgConfig, let debian):
        .systemLibrary(name: name, path: path, pkgConfig: pkgConfig, providers: [.apt([debian])])
    case .c:
        .target(name: name, dependencies: dependencies(imports), path: path)
    case .swift:
        .target(
            name: name, dependencies: dependencies(imports), path: path, exclude: excluded[name] ?? [],
            swiftSettings: strict)
    case .syntax:
        .target(
            name: name, dependencies: dependencies(imports), path: path, swiftSettings: strict + syntaxSettings,
            linkerSettings: syntaxLinking)
    case .macro:
        .macro(
            name: name, dependencies: dependencies(imports), path: path, swiftSettings: strict + syntaxSettings,
            linkerSettings: syntaxLinking)
    case .plugin:
        .plugin(
            name: name, capability: .buildTool(), dependencies: imports.map { .target(name: $0) },
            path: "\(folder)/Plugins/\(name)")
    case .syntaxTool:
        .executableTarget(
            name: name, dependencies: dependencies(imports), path: path, swiftSettings: strict + syntaxSettings,
            linkerSettings: syntaxLinking)
    case .tool:
        .executableTarget(name: name, dependencies: dependencies(imports), path: path, swiftSettings: strict)
    }
}

let targets: [Target] =
    modules.map { target($0.name, $0.kind, $0.imports, in: "Sources") }
    + testTools.map { target($0.name, $0.kind, $0.imports, in: "Tests") }

let testSupport = Target.target(
    name: "TestSupport", dependencies: [], path: "Tests/TestSupport", swiftSettings: strict)

/// The test targets that a build of some tests is bounded to (*Contributing*, "What a build costs").
let chosenTests = ProcessInfo.processInfo.environment["FOLIO_TEST_TARGETS"].map {
    Set($0.split(separator: ",").map(String.init))
}

let testTargets: [Target] = testModules.filter { chosenTests?.contains($0.name) ?? true }.map {
    let worksOnCode = !Set($0.imports).isDisjoint(with: ["ModelMacros", "SourcePort"])
    return .testTarget(
        name: $0.name, dependencies: dependencies($0.imports + ["TestSupport"]), exclude: excluded[$0.name] ?? [],
        swiftSettings: strict + (worksOnCode ? syntaxSettings : []),
        linkerSettings: worksOnCode ? syntaxLinking : [])
}

let package = Package(
    name: "Folio",
    products: [
        .library(name: "Folio", targets: ["Folio"]),
        .library(name: "FolioC", type: .dynamic, targets: ["FolioC"]),
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "Interchange", targets: ["Interchange"]),
        .executable(name: "folio", targets: ["FolioTool"]),
        .executable(name: "folio-port", targets: ["FolioPort"]),
        .plugin(name: "FolioModels", targets: ["FolioModels"]),
        .executable(name: "FolioBenchmarks", targets: ["FolioBenchmarks"]),
    ],
    targets: targets + [testSupport] + testTargets,
    swiftLanguageModes: [.v6]
)
