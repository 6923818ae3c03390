import Foundation
import Query
package import Schema
package import Storage

/// One step of a migration, from one version to the next.
package struct VersionStep: Sendable {
    package let source: ManagedObjectModel
    package let destination: ManagedObjectModel
    /// The plan by which a store carries the step out; nil for a step object by object.
    package let plan: MigrationPlan?
    /// The mapping model of the step; nil for an inferred one.
    package let mapping: MappingModel?

    init(_ plan: MigrationPlan, by mapping: MappingModel? = nil) {
        (source, destination) = (plan.source, plan.destination)
        (self.plan, self.mapping) = (plan, mapping)
    }

    init(_ mapping: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel) {
        (self.source, self.destination) = (source, destination)
        plan = MigrationPlan.equivalent(to: mapping, from: source, to: destination)
        self.mapping = mapping
    }
}

/// Finds the way from one version of a model to another where mapping models are given.
///
/// The mapping model of a step is found as Core Data finds it in bundles: by the version hashes of
/// the entities that it names. A step without one is inferred.
package struct MigrationWay {
    private let mappings: [MappingModel]
    /// The source, the destination, and the versions in between.
    private let versions: [ManagedObjectModel]
    private var inferred: [[Int]: MigrationPlan?] = [:]

    /// - Parameter versions: The versions that may be used in between, in any order.
    /// - Returns: The steps; none if the two versions are compatible. A mapping model for the two
    ///   versions is preferred, then the inferred step unless a way with mapping models loses less,
    ///   then the way whose inferred steps lose least, of these the shortest one, and of several
    ///   the one through the versions that stand first.
    /// - Throws: ``MigrationError`` `missingMapping` if no mapping model is for the versions at
    ///   all, `notInferable` if no way leads to the destination.
    ///
    /// Cost: at most one inference for every pair of versions.
    package static func steps(
        from source: ManagedObjectModel, to destination: ManagedObjectModel,
        through versions: [ManagedObjectModel] = [], by mappings: [MappingModel]
    ) throws(MigrationError) -> [VersionStep] {
        if destination.isCompatible(withVersionHashes: source.versionHashesByEntityName) { return [] }
        if let direct = mappings.first(where: { $0.starts(at: source) && $0.ends(at: destination) }) {
            return [VersionStep(direct, from: source, to: destination)]
        }
        var way = MigrationWay(source, destination, versions, mappings)
        let direct = MappingInference(from: source, to: destination)
        for loss in Loss.allCases where !mappings.isEmpty {
            if direct.obstacles.isEmpty, direct.plan.loss <= loss { break }
            if let found = way.shortest(losing: loss) { return found }
        }
        // What it names and is not there is told as it is carried out.
        if let direct = mappings.first(where: { $0.fits(from: source, to: destination) }) {
            return [VersionStep(direct, from: source, to: destination)]
        }
        guard mappings.isEmpty || !way.pairs.isEmpty else { throw way.refusal }
        do {
            return try MigrationChain.plans(from: source, to: destination, through: versions).map { VersionStep($0) }
        } catch {
            guard !mappings.isEmpty else { throw error }
            var refusal = error
            refusal.message =
                "The mapping models lead from \(way.pairs.joined(separator: ", ")), and what is missing of the way can't be inferred"
            throw refusal
        }
    }

    private init(
        _ source: ManagedObjectModel, _ destination: ManagedObjectModel, _ others: [ManagedObjectModel],
        _ mappings: [MappingModel]
    ) {
        self.mappings = mappings
        var versions = [source, destination]
        for other in others {
            let hashes = other.versionHashesByEntityName
            if !versions.contains(where: { $0.isCompatible(withVersionHashes: hashes) }) { versions.append(other) }
        }
        self.versions = versions
    }

    // MARK: Steps

    /// The step by the first mapping model for two versions, or as inferred.
    private mutating func step(_ from: Int, _ to: Int) -> VersionStep? {
        for mapping in mappings where mapping.starts(at: versions[from]) && mapping.ends(at: versions[to]) {
            return VersionStep(mapping, from: versions[from], to: versions[to])
        }
        let plan = inferred[[from, to]] ?? (try? MigrationPlan.inferred(from: versions[from], to: versions[to]))
        inferred[[from, to]] = .some(plan)
        return plan.map { VersionStep($0) }
    }

    /// The shortest way with a mapping model, by a breadth-first search.
    /// - Parameter loss: The most that an inferred step may lose.
    private mutating func shortest(losing loss: Loss) -> [VersionStep]? {
        struct Place: Hashable {
            let version: Int
            let isMapped: Bool
        }
        var waiting: [(place: Place, steps: [VersionStep])] = [(Place(version: 0, isMapped: false), [])]
        var reached: Set<Place> = [Place(version: 0, isMapped: false)]
        while !waiting.isEmpty {
            let (place, steps) = waiting.removeFirst()
            if place.version == 1 { return steps }
            for next in versions.indices.dropFirst() where next != place.version {
                guard let step = step(place.version, next), step.mapping != nil || (step.plan?.loss ?? .nothing) <= loss
                else { continue }
                let end = Place(version: next, isMapped: place.isMapped || step.mapping != nil)
                // The destination is reached with a mapping model, or not yet.
                guard next != 1 || end.isMapped, !reached.contains(end), keepsShared(step) else { continue }
                reached.insert(end)
                waiting.append((end, steps + [step]))
            }
        }
        return nil
    }

    /// Whether an inferred step keeps what its version and the destination share.
    private func keepsShared(_ step: VersionStep) -> Bool {
        guard step.mapping == nil, let plan = step.plan, step.destination !== versions[1] else { return true }
        return SharedContent(MappingInference(from: step.source, to: versions[1]).plan).losses(of: [plan]).isEmpty
    }

    // MARK: Refusing

    /// The versions between which the mapping models lead, for people.
    private var pairs: [String] {
        mappings.flatMap { mapping in
            let starts = versions.indices.filter { mapping.starts(at: versions[$0]) },
                ends = versions.indices.filter { mapping.ends(at: versions[$0]) }
            return starts.flatMap { start in
                ends.filter { $0 != start }.map {
                    "\(Self.name(of: versions[start], start)) to \(Self.name(of: versions[$0], $0))"
                }
            }
        }
    }

    private var refusal: MigrationError {
        let names = mappings.flatMap { $0.unfitEntities(from: versions[0], to: versions[1]) }
        return MigrationError(
            .missingMapping,
            mappings.count == 1
                ? "The mapping model was made for other versions than the document's and the new one: \(names.joined(separator: ", "))"
                : "None of the \(mappings.count) mapping models is for versions between the document's and the new one")
    }

    private static func name(of version: ManagedObjectModel, _ place: Int) -> String {
        if let name = version.definition.versionIdentifiers.first, !name.isEmpty { return "“\(name)”" }
        return place == 0 ? "the document's version" : place == 1 ? "the new one" : "a version without an identifier"
    }
}

extension MappingModel {
    /// Whether all source entities are those of a version: by their hashes or, where the mapping
    /// has none, by the names of all that is read.
    fileprivate func starts(at version: ManagedObjectModel) -> Bool {
        let hashes = version.versionHashesByEntityName
        return entityMappings.allSatisfy { mapping in
            guard let name = mapping.sourceEntityName else { return true }
            guard let own = hashes[name], let entity = version.entity(named: name) else { return false }
            if let hash = mapping.sourceEntityVersionHash { return hash == own }
            return mapping.sourceKeys.allSatisfy { entity.property(named: $0) != nil }
        }
    }

    /// Whether all destination entities are those of a version: by their hashes or, where the
    /// mapping has none, by the names of all that is set.
    fileprivate func ends(at version: ManagedObjectModel) -> Bool {
        let hashes = version.versionHashesByEntityName
        return entityMappings.allSatisfy { mapping in
            guard let name = mapping.destinationEntityName else { return true }
            guard let own = hashes[name], let entity = version.entity(named: name) else { return false }
            if let hash = mapping.destinationEntityVersionHash { return hash == own }
            return (mapping.attributeMappings + mapping.relationshipMappings).allSatisfy {
                entity.property(named: $0.name) != nil
            }
        }
    }
}

extension EntityMapping {
    /// The keys that expressions read of `$source`.
    fileprivate var sourceKeys: Set<String> {
        var keys: Set<String> = []
        for property in attributeMappings + relationshipMappings {
            guard let expression = property.valueExpression else { continue }
            _ = FetchPredicate.replacing(expression) { part, _ in
                if case .keyPath(.variable("source"), let names) = part,
                    let first = names.first(where: { $0.first != "@" })
                {
                    keys.insert(first)
                }
                return nil
            }
        }
        return keys
    }
}

/// What of a version has no place in the next one.
private enum Loss: Int, CaseIterable, Comparable {
    case nothing, properties, entities

    static func < (left: Loss, right: Loss) -> Bool { left.rawValue < right.rawValue }
}

extension MigrationPlan {
    fileprivate var loss: Loss {
        var loss = Loss.nothing
        for entity in source.entities where !entity.isAbstract {
            guard let image = destinationIndices[entity.index] else { return .entities }
            let isLost = entity.properties.contains { property in
                !property.isTransient && property.attribute?.isDerived != true
                    && steps[image]?.origins.contains(.property(property.index)) != true
            }
            if isLost { loss = .properties }
        }
        return loss
    }
}
