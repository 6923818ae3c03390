package import Schema
package import Storage

/// Finds the shortest sequence of inferred steps from one version of a model to another.
///
/// A sequence may include a version only if that version has all content that source and
/// destination share. Content that it lacks would be dropped and be empty at the end.
package enum MigrationChain {
    /// - Parameter versions: The versions that may be used in between, in any order.
    /// - Returns: One plan if the step can be inferred directly; none if the two versions are
    ///   compatible.
    /// - Throws: ``MigrationError`` `notInferable` with the obstacles of the direct step and the
    ///   losses of a sequence through other versions.
    ///
    /// Cost: one inference or, if it fails, at most one for every pair of versions.
    package static func plans(
        from source: ManagedObjectModel, to destination: ManagedObjectModel, through versions: [ManagedObjectModel] = []
    ) throws(MigrationError) -> [MigrationPlan] {
        if destination.isCompatible(withVersionHashes: source.versionHashesByEntityName) { return [] }
        let direct = MappingInference(from: source, to: destination)
        if direct.obstacles.isEmpty { return [direct.plan] }
        let shared = SharedContent(direct.plan)
        let between = versions.filter { version in
            let hashes = version.versionHashesByEntityName
            return !source.isCompatible(withVersionHashes: hashes)
                && !destination.isCompatible(withVersionHashes: hashes)
        }
        var steps = InferredSteps()
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

    /// Caches the inferred steps for both searches.
    private struct InferredSteps {
        private struct Pair: Hashable {
            let source: ObjectIdentifier
            let destination: ObjectIdentifier
        }

        /// Nil for a pair whose step can't be inferred.
        private var plans: [Pair: MigrationPlan?] = [:]

        mutating func plan(from source: ManagedObjectModel, to destination: ManagedObjectModel) -> MigrationPlan? {
            let pair = Pair(source: ObjectIdentifier(source), destination: ObjectIdentifier(destination))
            if let known = plans[pair] { return known }
            let plan = try? MigrationPlan.inferred(from: source, to: destination)
            plans[pair] = .some(plan)
            return plan
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
