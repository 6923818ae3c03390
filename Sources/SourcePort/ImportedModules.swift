import SwiftSyntax

/// The modules that a file imports, with those that Linux does not have.
struct ImportedModules {
    /// Modules of interfaces: a file that imports one is not for Linux.
    private static let interfaces: Set = [
        "AppKit", "Cocoa", "MapKit", "PhotosUI", "SwiftUI", "TVUIKit", "UIKit", "WatchKit", "WidgetKit",
    ]
    private static let others: Set = [
        "CloudKit", "Combine", "Contacts", "CoreFoundation", "CoreGraphics", "CoreImage", "CoreLocation",
        "CoreSpotlight", "CryptoKit", "Darwin", "EventKit", "HealthKit", "Intents", "OSLog", "ObjectiveC", "Photos",
        "StoreKit", "UserNotifications", "WatchConnectivity", "os",
    ]

    /// What names of Core Data begin with. On Apple's platforms other modules bring them along.
    private static let coreDataNames = [
        "NSAtomicStore", "NSAttributeDescription", "NSBatchDelete", "NSBatchInsert", "NSBatchUpdate",
        "NSEntityDescription", "NSEntityMapping", "NSEntityMigrationPolicy", "NSFetchRequest", "NSFetchedProperty",
        "NSFetchedResults", "NSIncrementalStore", "NSManagedObject", "NSMappingModel", "NSMergePolicy", "NSMigration",
        "NSPersistent", "NSRelationshipDescription",
    ]

    /// Whether a name is one of Core Data, which the file does not import.
    func isNameOfCoreData(_ name: String) -> Bool {
        !hasCoreData && name.hasPrefix("NS") && Self.coreDataNames.contains { name.hasPrefix($0) }
    }

    private(set) var notes: [PortNote] = []
    /// Whether the file is one of an application's interface.
    private(set) var areOfAnInterface = false
    /// Whether a module is imported that may bring names of Foundation's beside Core Data's.
    private(set) var hasOthers = false
    /// The import of Core Data, or else the last one, where names of Core Data can be imported
    /// behind it.
    private(set) var place: ImportDeclSyntax?
    /// Whether Core Data is imported, under `#if` too.
    private(set) var hasCoreData = false
    /// The names that are imported alone.
    private(set) var importedNames: Set<String> = []

    init(_ tree: SourceFileSyntax) {
        let conditional = ConditionalImports(viewMode: .all)
        conditional.walk(tree)
        hasCoreData = conditional.names.contains("CoreData")
        // What stands under `#if` is the author's own arrangement.
        for item in tree.statements {
            guard let node = item.item.as(ImportDeclSyntax.self), let name = node.path.first?.name.text else {
                continue
            }
            let position = node.positionAfterSkippingLeadingTrivia
            if name == "CoreData" { hasCoreData = true } else { hasOthers = true }
            if name == "CoreData" || place?.path.first?.name.text != "CoreData" { place = node }
            if node.importKindSpecifier != nil, let last = node.path.last?.name.text { importedNames.insert(last) }
            if Self.interfaces.contains(name) {
                areOfAnInterface = true
                notes.append(
                    PortNote(
                        position: position,
                        message:
                            "imports \(name), which Linux does not have: the file stays as it is; leave it out of the target"
                    ))
            } else if Self.others.contains(name) {
                notes.append(
                    PortNote(
                        position: position,
                        message: "imports \(name), which Linux does not have: put it under #if canImport(\(name))"))
            }
        }
    }
}

/// The modules that are imported under `#if`.
private final class ConditionalImports: SyntaxVisitor {
    private(set) var names: Set<String> = []

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.path.first?.name.text, node.parent?.parent?.parent?.is(IfConfigClauseSyntax.self) == true {
            names.insert(name)
        }
        return .skipChildren
    }

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        node.item.is(ImportDeclSyntax.self) || node.item.is(IfConfigDeclSyntax.self) ? .visitChildren : .skipChildren
    }
}
