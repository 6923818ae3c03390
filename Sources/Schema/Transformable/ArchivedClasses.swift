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

    /// The longest name of a class in bytes. The runtime resolves a name by recursion.
    private static let longestName = 512

    /// Whether values of a class may be archived.
    func allows(_ type: ArchivedClass) -> Bool {
        guard type.supportsSecureCoding else { return false }
        switch self {
        case .none: return false
        // One that its name does not lead to could be read by nobody.
        case .secure: return !Self.isFoundations(type) && Self.type(named: Self.name(type)) == type
        case .listed(let types): return types.contains { Self.inherits(type, from: $0) }
        }
    }

    /// The class that an archive names, if it is allowed.
    /// - Parameters:
    ///   - name: The name, with or without the module.
    ///   - requested: Classes that whoever decodes asks for in addition.
    func type(named name: String, requested: [AnyClass]) -> ArchivedClass? {
        let isSpelled = name.unicodeScalars.allSatisfy {
            ".$_".unicodeScalars.contains($0) || $0.properties.isXIDContinue
        }
        guard !name.isEmpty, name.utf8.count <= Self.longestName, isSpelled else { return nil }
        var listed = requested.compactMap { $0 as? ArchivedClass }
        if case .listed(let types) = self { listed += types.compactMap { $0 as? ArchivedClass } }
        let found =
            listed.first { Self.name($0) == name } ?? Self.type(named: name)
            ?? listed.first { String(describing: $0) == name }
        guard let found, found.supportsSecureCoding, !Self.isFoundations(found) else { return nil }
        return allows(found) || listed.contains { Self.inherits(found, from: $0) } ? found : nil
    }

    /// The name of a class in archives: with its module, as Foundation has it. A class within
    /// another declaration, which Foundation does not name, has the compiler's name; a private one
    /// has none that leads to it.
    package static func name(_ type: AnyClass) -> String {
        let name = String(reflecting: type), parts = name.split(separator: ".")
        if isFoundations(type) { return String(name.dropFirst("Foundation.".count)) }
        if parts.count == 2, NSClassFromString(name) == type { return name }
        if let own = _mangledTypeName(type), _typeByName(own) as? AnyClass == type { return own }
        return "\(parts.first ?? "").\(String(describing: type))"
    }

    private static func type(named name: String) -> ArchivedClass? {
        switch name.split(separator: ".", omittingEmptySubsequences: false).count {
        case 1: ((_typeByName(name) as? AnyClass) ?? NSClassFromString(name)) as? ArchivedClass
        case 2: NSClassFromString(name) as? ArchivedClass
        default: nil
        }
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
            chain.append(name(own))
            current = _getSuperclass(own)
        }
        return chain
    }
}
