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

    private(set) var notes: [PortNote] = []
    /// Whether the file is one of an application's interface.
    private(set) var areOfAnInterface = false
    /// Whether Foundation is imported by its name.
    private(set) var hasFoundation = false

    init(_ tree: SourceFileSyntax) {
        // What stands under `#if` is the author's own arrangement.
        for item in tree.statements {
            guard let node = item.item.as(ImportDeclSyntax.self), let name = node.path.first?.name.text else {
                continue
            }
            let position = node.positionAfterSkippingLeadingTrivia
            if name == "Foundation" { hasFoundation = true }
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
