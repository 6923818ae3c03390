import Foundation
import Synchronization

/// Finds the classes that models name, without registration.
enum ObjectClasses {
    /// The modules that classes without a module in their name are looked for in: those whose
    /// classes have been seen.
    private static let modules = Mutex<[String]>([])

    /// Notes where a class is declared.
    static func note(_ type: Any.Type) {
        let name = String(reflecting: type)
        guard let dot = name.firstIndex(of: ".") else { return }
        let module = String(name[..<dot])
        modules.withLock { if !$0.contains(module) { $0.append(module) } }
    }

    /// The modules that have been seen.
    static var knownModules: [String] { modules.withLock { $0 } }
}
