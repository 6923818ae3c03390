internal import Foundation

/// A class whose objects archive themselves.
typealias ArchivedClass = any (NSObject & NSSecureCoding).Type

/// The classes of objects that archives may have beside Foundation's values.
package enum ArchivedClasses: Sendable {
    /// None.
    case none
    /// All classes of the program that declare secure coding. Foundation's own are none of them:
    /// they trust what they are given.
    case secure
    /// These classes, and those that inherit from them.
    case listed([AnyClass])

    /// Whether values of a class may be archived.
    func allows(_ type: ArchivedClass) -> Bool {
        guard type.supportsSecureCoding else { return false }
        switch self {
        case .none: return false
        case .secure: return !Self.isFoundations(type)
        case .listed(let types): return types.contains { Self.inherits(type, from: $0) }
        }
    }

    /// The class that an archive names, if it is allowed.
    /// - Parameters:
    ///   - name: The name, with or without the module.
    ///   - requested: Classes that whoever decodes asks for in addition.
    func type(named name: String, requested: [AnyClass]) -> ArchivedClass? {
        guard !name.isEmpty, name.unicodeScalars.allSatisfy({ $0 == "." || $0 == "_" || $0.properties.isXIDContinue })
        else { return nil }
        var listed = requested.compactMap { $0 as? ArchivedClass }
        if case .listed(let types) = self { listed += types.compactMap { $0 as? ArchivedClass } }
        let found =
            listed.first { NSStringFromClass($0) == name } ?? (NSClassFromString(name) as? ArchivedClass)
            ?? listed.first { NSStringFromClass($0).split(separator: ".").last.map(String.init) == name }
        guard let found, found.supportsSecureCoding, !Self.isFoundations(found) else { return nil }
        return allows(found) || listed.contains { Self.inherits(found, from: $0) } ? found : nil
    }

    private static func isFoundations(_ type: AnyClass) -> Bool { String(reflecting: type).hasPrefix("Foundation.") }

    /// Whether a class is another or inherits from it.
    static func inherits(_ type: AnyClass, from other: AnyClass) -> Bool {
        var current: AnyClass? = type
        while let own = current {
            if own == other { return true }
            current = _getSuperclass(own)
        }
        return false
    }

    /// The names of a class and of those that it inherits from, as archives have them.
    static func chain(_ type: AnyClass) -> [String] {
        var chain: [String] = []
        var current: AnyClass? = type
        while let own = current {
            chain.append(NSStringFromClass(own))
            current = _getSuperclass(own)
        }
        return chain
    }
}
