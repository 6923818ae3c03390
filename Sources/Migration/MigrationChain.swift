package import Schema
package import Storage

/// Finds the shortest sequence of inferred steps from one version of a model to another.
///
/// A sequence may include a version only if that version has all content that source and
/// destination share. Content that it lacks would be dropped and be empty at the end. A sequence is
/// preferred to a single step if it keeps content that the single step loses, since only a version
/// in between tells its former name.
package enum MigrationChain {
    /// - Parameter versions: The versions that may be used in between, in any order.
    /// - Returns: One plan if the step can be inferred directly; none if the two versions are
    ///   compatible. Steps that every store allows are preferred to steps that depend on the rows.
    /// - Throws: ``MigrationError`` `notInferable` with the obstacles of the direct step and the
    ///   losses of a sequence through other versions.
    ///
    /// Cost: one inference or, if it is not enough, at most one for every pair of versions.
    package static func plans(
        from source: ManagedObjectModel, to destination: ManagedObjectModel, through versions: [ManagedObjectModel] = []
    ) throws(MigrationError) -> [MigrationPlan] {
        if destination.isCompatible(withVersionHashes: source.versionHashesByEntityName) { return [] }
        let direct = MappingInference(from: source, to: destination)
        let shared = SharedContent(direct.plan)
        let between = versions.filter { version in
            let hashes = version.versionHashesByEntityName
            return !source.isCompatible(withVersionHashes: hashes)
                && !destination.isCompatible(withVersionHashes: hashes)
        }
        var steps = InferredSteps()
        if direct.obstacles.isEmpty,
            let plans = keepingMore(than: shared, from: source, to: destination, through: between, &steps)
        {
            return plans
        }
        if direct.isUnconditional { return [direct.plan] }
        if let plans = shortest(
            from: source, to: destination, through: between, &steps, where: { shared.losses(of: $0).isEmpty })
        {
            return plans
        }
        if direct.obstacles.isEmpty { return [direct.plan] }
        steps.allowsConditions = true
        if let plans = shortest(
            from: source, to: destination, through: between, &steps, where: { shared.losses(of: $0).isEmpty })
        {
            return plans
        }
        var error = MigrationError(.notInferable, "The migration can't be inferred", obstacles: direct.obstacles)
        if let plans = shortest(from: source, to: destination, through: between, &steps, where: { _ in true }) {
            let losses = shared.losses(of: plans)
            error.refusedChain = MigrationError.RefusedChain(
                versions: plans.dropLast().map { name(of: $0.destination) }, losses: losses)
        }
        throw error
    }

    /// The shortest sequence that keeps most of what a single step loses; nil if none keeps more.
    private static func keepingMore(
        than shared: SharedContent, from source: ManagedObjectModel, to destination: ManagedObjectModel,
        through versions: [ManagedObjectModel], _ steps: inout InferredSteps
    ) -> [MigrationPlan]? {
        let lost = shared.lostContent
        guard !versions.isEmpty, !lost.isEmpty else { return nil }
        // Content can only arrive under another name if a version says so.
        let names = Set((versions + [destination]).flatMap { $0.entities.flatMap(\.renamingIdentifiers) })
        var kept: [SharedContent.Lost] = [], best: [MigrationPlan]?
        for item in lost where !names.isDisjoint(with: item.names) {
            let wanted = kept + [item]
            let found = shortest(from: source, to: destination, through: versions, &steps) { plans in
                wanted.allSatisfy { $0.isKept(by: plans) } && shared.losses(of: plans).isEmpty
            }
            if let found { (kept, best) = (wanted, found) }
        }
        return best
    }

    /// Caches the inferred steps for all searches.
    private struct InferredSteps {
        private struct Pair: Hashable {
            let source: ObjectIdentifier
            let destination: ObjectIdentifier
        }

        /// Whether steps count that depend on the rows.
        var allowsConditions = false
        /// Nil for a pair whose step can't be inferred.
        private var plans: [Pair: (plan: MigrationPlan, isUnconditional: Bool)?] = [:]

        mutating func plan(from source: ManagedObjectModel, to destination: ManagedObjectModel) -> MigrationPlan? {
            let pair = Pair(source: ObjectIdentifier(source), destination: ObjectIdentifier(destination))
            let found =
                plans[pair]
                ?? {
                    let inference = MappingInference(from: source, to: destination)
                    let made = inference.obstacles.isEmpty ? (inference.plan, inference.isUnconditional) : nil
                    plans[pair] = .some(made)
                    return made
                }()
            return found.flatMap { $0.isUnconditional || allowsConditions ? $0.plan : nil }
        }
    }

    /// A breadth-first search, so that the first result has the fewest steps.
    private static func shortest(
        from source: ManagedObjectModel, to destination: ManagedObjectModel, through versions: [ManagedObjectModel],
        _ steps: inout InferredSteps,
        where isAllowed: ([MigrationPlan]) -> Bool
    ) -> [MigrationPlan]? {
        var waiting: [(model: ManagedObjectModel, plans: [MigrationPlan])] = [(source, [])]
        var rest = versions
        while !waiting.isEmpty {
            let (model, plans) = waiting.removeFirst()
            if !plans.isEmpty, let last = steps.plan(from: model, to: destination), isAllowed(plans + [last]) {
                return plans + [last]
            }
            var beyond: [ManagedObjectModel] = []
            for version in rest {
                if let step = steps.plan(from: model, to: version), isAllowed(plans + [step]) {
                    waiting.append((version, plans + [step]))
                } else {
                    beyond.append(version)
                }
            }
            rest = beyond
        }
        return nil
    }

    private static func name(of version: ManagedObjectModel) -> String {
        version.definition.versionIdentifiers.first.map { "“\($0)”" } ?? "a version without an identifier"
    }
}

extension EntityDescription {
    fileprivate var renamingIdentifiers: [String] {
        [definition.renamingIdentifier].compactMap { $0 }
            + properties.compactMap { $0.attribute?.renamingIdentifier ?? $0.relationship?.renamingIdentifier }
    }
}
