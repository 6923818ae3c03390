import Foundation
import Query
import Schema
import Storage
import Synchronization

/// A service as stores see one from afar: it knows its objects by texts, answers requests by
/// itself, and counts what it is asked.
final class CardServer: Sendable {
    struct State {
        var metadata: [String: MetadataValue]?
        var nodes: [String: IncrementalStoreNode] = [:]
        var members: [String: [String: [ManagedObjectID]]] = [:]
        var names = 0
        /// How often values of one object were asked for.
        var valueRequests = 0
        /// How much of a request the service does.
        var answer = Answer.complete
        var failure: (any Error)?
        /// What is answered in the place of an object's values.
        var falseNode: (@Sendable (IncrementalStoreNode) -> IncrementalStoreNode)?
        var lastSave: IncrementalSaveRequest?
        /// Called once, by the next request, before its answer.
        var onNextRequest: (@Sendable () -> Void)?
    }

    enum Answer: CaseIterable {
        case candidates, candidatesWithValues, matching, complete, completeWithValues
    }

    let state = Mutex(State())

    private static let servers = Mutex<[String: CardServer]>([:])

    /// The service at an address.
    static func at(_ url: URL) -> CardServer {
        servers.withLock { servers in
            let server = servers[url.path] ?? CardServer()
            servers[url.path] = server
            return server
        }
    }
}

/// The store of a ``CardServer``.
final class CardStore: IncrementalStore {
    static let storeType = StoreType(rawValue: "Cards")
    private let server: CardServer

    init(_ description: PersistentStoreDescription, model: ManagedObjectModel) {
        server = CardServer.at(description.url)
    }

    private func asking<Result: Sendable>(_ body: (inout CardServer.State) throws -> Result) throws -> Result {
        try server.state.withLock { state in
            if let failure = state.failure { throw failure }
            return try body(&state)
        }
    }

    private func name(_ id: ManagedObjectID, _ context: IncrementalStoreContext) -> String {
        switch context.referenceObject(for: id) {
        case .text(let text): text
        case .number(let number): "\(number)"
        case nil: ""
        }
    }

    func loadMetadata() throws -> [String: MetadataValue]? { try asking { $0.metadata } }

    /// The service compares texts and whole numbers for equality and order, and knows no other
    /// conditions.
    func execute(_ request: IncrementalFetchRequest, with context: IncrementalStoreContext) throws
        -> IncrementalFetchResult
    {
        let hook = server.state.withLock { state in
            defer { state.onNextRequest = nil }
            return state.onNextRequest
        }
        hook?()
        return try asking { state in
            let entities = Set(request.entities.map(\.name))
            let all = state.nodes.values.filter { entities.contains($0.objectID.entity.name) }
            switch state.answer {
            case .candidates: return .candidates(all.map(\.objectID))
            case .candidatesWithValues: return .candidates(all)
            case .matching, .complete, .completeWithValues: break
            }
            guard let wanted = Self.equality(request.predicate) else { return .candidates(all.map(\.objectID)) }
            let found = all.filter { node in wanted.allSatisfy { node.attributes[$0.key] == $0.value } }
            if state.answer == .matching { return .matching(found.map(\.objectID)) }
            let sorted = found.sorted { left, right in
                for key in request.sortDescriptors {
                    let (a, b) = (Self.text(left.attributes[key.keyPath]), Self.text(right.attributes[key.keyPath]))
                    if a != b { return (a < b) == key.isAscending }
                }
                return left.objectID.uriRepresentation().absoluteString
                    < right.objectID.uriRepresentation().absoluteString
            }
            let rest = sorted.dropFirst(request.fetchOffset),
                cut = Array(request.fetchLimit.map { rest.prefix($0) } ?? rest)
            return state.answer == .complete ? .complete(cut.map(\.objectID)) : .complete(cut)
        }
    }

    /// The values that a predicate asks for; nil for one of another form.
    private static func equality(_ predicate: FetchPredicate?) -> [String: PropertyValue]? {
        switch predicate {
        case nil: [:]
        case .comparison(let comparison)?:
            if case .keyPath(nil, let components) = comparison.left, components.count == 1,
                comparison.operator == .equal, comparison.options == [],
                case .constant(let value) = comparison.right
            {
                [components[0]: value]
            } else {
                nil
            }
        default: nil
        }
    }

    private static func text(_ value: PropertyValue?) -> String {
        switch value {
        case .string(let text): text
        case .int(let number): String(format: "%020d", number)
        default: ""
        }
    }

    func newValuesForObject(with objectID: ManagedObjectID, with context: IncrementalStoreContext) throws
        -> IncrementalStoreNode?
    {
        try asking { state in
            state.valueRequests += 1
            let node = state.nodes[name(objectID, context)]
            return node.map { state.falseNode?($0) ?? $0 }
        }
    }

    func newValue(
        forRelationship relationship: RelationshipDescription, forObjectWith objectID: ManagedObjectID,
        with context: IncrementalStoreContext
    ) throws -> [ManagedObjectID] {
        try asking { $0.members[name(objectID, context)]?[relationship.name] ?? [] }
    }

    func obtainPermanentIDs(forEntityNamed entityName: String, count: Int, with context: IncrementalStoreContext) throws
        -> [ReferenceObject]
    {
        try asking { state in
            let first = state.names
            state.names += count
            // With what URIs have to escape.
            return (first..<first + count).map { .text("\(entityName)/é \($0)%") }
        }
    }

    func execute(_ request: IncrementalSaveRequest, with context: IncrementalStoreContext) throws {
        try asking { state in
            for object in request.insertedObjects + request.updatedObjects {
                let name = name(object.node.objectID, context)
                state.nodes[name] = object.node
                for (key, members) in object.toManys { state.members[name, default: [:]][key] = members }
            }
            for object in request.deletedObjects {
                state.nodes[name(object.objectID, context)] = nil
                state.members[name(object.objectID, context)] = nil
            }
            if let metadata = request.metadata { state.metadata = metadata }
            state.lastSave = request
        }
    }
}
