internal import Coding
public import Foundation
internal import Synchronization

/// Version hashes identify the version of a model in the metadata of a store. They are equal to
/// Core Data's.
///
/// A property's hash covers its name, type, optionality, destination, counts and modifier; an
/// entity's hash covers its persistent properties, those of its ancestors, its constraints and its
/// modifier. Default values, validation, delete rules, indexes, classes and renaming identifiers
/// are not covered. The hashes of entities with a derived attribute are known to differ from Core
/// Data's.
extension ManagedObjectModel {
    /// The version hash of every entity, 32 bytes each. Computed by the first call, in time linear
    /// in the size of the model.
    public var versionHashesByEntityName: [String: Data] {
        hashes.withLock { known in
            let result = known ?? computedHashes
            known = result
            return result
        }
    }

    private var computedHashes: [String: Data] {
        var hashes: [Data] = []
        hashes.reserveCapacity(entities.count)
        // An entity's hash contains the hash of its super-entity, which comes earlier in
        // `entities`.
        for entity in entities {
            hashes.append(
                entity.definition.versionHash(
                    superentityHash: entity.superentity.map { hashes[$0.index] },
                    properties: entity.properties.filter { !$0.isTransient }.map { ($0.name, $0.versionHash) }))
        }
        return Dictionary(uniqueKeysWithValues: zip(entities.map(\.name), hashes))
    }

    /// A digest over the hashes of all entities, as stores keep it: 64 bytes in Base64.
    public var versionHashesDigest: String {
        var digest = SHA512()
        for (name, hash) in sortedHashes {
            digest.update(Array(name.utf8))
            digest.update(hash)
        }
        return Data(digest.digest()).base64EncodedString()
    }

    /// The checksum of the model by which newer tools and staged migrations refer to it: 32 bytes
    /// in Base64.
    public var versionChecksum: String {
        var digest = SHA256()
        for (_, hash) in sortedHashes { digest.update(hash) }
        return Data(digest.digest()).base64EncodedString()
    }

    /// Whether a store with these hashes can be opened with this model, or with one of its
    /// configurations.
    ///
    /// The hashes of all entities must be equal, and neither side may have an entity that the other
    /// lacks.
    ///
    /// - Returns: Also false if the model has no configuration with this name.
    public func isCompatible(withVersionHashes hashes: [String: Data], configuration: String? = nil) -> Bool {
        guard let members = entities(inConfiguration: configuration), members.count == hashes.count else {
            return false
        }
        let own = versionHashesByEntityName
        return members.allSatisfy { own[$0.name] == hashes[$0.name] }
    }

    private var sortedHashes: [(String, Data)] {
        versionHashesByEntityName.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }.map {
            ($0.key, $0.value)
        }
    }
}

extension EntityDefinition {
    /// The version hash of the entity.
    /// - Parameters:
    ///   - superentityHash: The hash of the entity that this one inherits from.
    ///   - properties: The persistent attributes and relationships, with inherited ones, in any
    ///     order.
    package func versionHash(superentityHash: Data?, properties: [(name: String, hash: Data)]) -> Data {
        var bytes = HashInput()
        bytes.append(name)
        bytes.append(UInt8(isAbstract ? 1 : 0))
        if let superentityHash { bytes.append(superentityHash) }
        for property in properties.sorted(by: { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }) {
            bytes.append(property.hash)
        }
        bytes.append(versionHashModifier ?? "")
        for constraint in uniquenessConstraints { bytes.append(constraint.joined(separator: ".")) }
        return bytes.digest
    }
}

extension PropertyDescription {
    /// The property's contribution to the version hash of its entity, 32 bytes.
    public var versionHash: Data {
        switch kind {
        case .attribute(let attribute): attribute.versionHash
        case .relationship(let relationship): relationship.versionHash
        }
    }
}

extension AttributeDescription {
    /// The attribute's contribution to the version hash of its entity, 32 bytes.
    public var versionHash: Data {
        var bytes = HashInput()
        bytes.append(
            HashInput.property(
                name: name, isOptional: isOptional, isTransient: isTransient, modifier: versionHashModifier))
        bytes.append(Int32(type.rawValue))
        if allowsExternalBinaryDataStorage { bytes.append(1 as UInt8) }
        if preservesValueInHistoryOnDeletion { bytes.append(1 as UInt8) }
        return bytes.digest
    }
}

extension RelationshipDescription {
    /// The relationship's contribution to the version hash of its entity, 32 bytes.
    public var versionHash: Data {
        var bytes = HashInput()
        bytes.append(
            HashInput.property(
                name: name, isOptional: isOptional, isTransient: isTransient, modifier: versionHashModifier))
        bytes.append(destinationEntityName)
        bytes.append(inverseName ?? unmatchedInverseName ?? "")
        bytes.append(Int32(clamping: maxCount))
        bytes.append(Int32(clamping: minCount))
        if isOrdered { bytes.append(1 as UInt16) }
        return bytes.digest
    }
}

extension FetchedPropertyDescription {
    /// A hash of what the property is; it is no part of the version hash of its entity.
    public var versionHash: Data {
        HashInput.property(name: name, isOptional: isOptional, isTransient: false, modifier: versionHashModifier)
    }
}

/// The input of a hash: text as UTF-8 without length or terminator, integers in little-endian
/// order.
private struct HashInput {
    private var hash = SHA256()

    var digest: Data { Data(hash.digest()) }

    mutating func append(_ text: String) { hash.update(Array(text.utf8)) }

    mutating func append(_ data: Data) { hash.update(data) }

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { hash.update(Array($0)) }
    }

    static func property(name: String, isOptional: Bool, isTransient: Bool, modifier: String?) -> Data {
        var bytes = HashInput()
        bytes.append(name)
        bytes.append(UInt16((isOptional ? 1 : 0) | (isTransient ? 2 : 0)))
        bytes.append(modifier ?? "")
        return bytes.digest
    }
}
