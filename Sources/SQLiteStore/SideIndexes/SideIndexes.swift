import Schema

/// The indexes of a store that are separate tables: full-text indexes and R-trees. Stores that
/// Folio creates have them, Core Data's stores do not.
///
/// Every transaction that writes rows updates them (`StoreSession.writing`).
struct SideIndexes: Sendable, Hashable {
    var search: [String: SearchIndex] = [:]
    var places: [String: [SpatialIndex]] = [:]

    static let none = SideIndexes()

    var isEmpty: Bool { search.isEmpty && places.isEmpty }
    var tables: [String] { Set(search.keys).union(places.keys).sorted() }
    /// The statements that create them, in order.
    var statements: [String] {
        search.values.sorted { $0.table < $1.table }.map(\.statement) + allPositions.map(\.statement)
    }
    var allPositions: [SpatialIndex] { places.values.joined().sorted { $0.name < $1.name } }

    /// The side indexes that a model requires.
    init(wantedBy model: ManagedObjectModel, _ storages: [EntityStorage]) {
        var columns: [String: [String]] = [:]
        for storage in storages {
            let entity = model.entities[storage.entityIndex]
            for property in entity.properties
            where property.declaringEntityIndex == entity.index && property.attribute?.isFullTextIndexed == true {
                if case .attribute(let column) = storage.properties[property.index] {
                    columns[storage.table, default: []].append(column.name)
                }
            }
            for index in entity.definition.indexes {
                guard let place = Self.place(index, entity, storage) else { continue }
                places[storage.table, default: []].append(place)
            }
        }
        search = Dictionary(uniqueKeysWithValues: columns.map { ($0, SearchIndex(table: $0, columns: $1.sorted())) })
    }

    private init() {}

    private static func place(_ index: FetchIndexDescription, _ entity: EntityDescription, _ storage: EntityStorage)
        -> SpatialIndex?
    {
        guard !index.elements.isEmpty, index.elements.count <= SpatialIndex.mostColumns,
            index.elements.allSatisfy({ $0.kind == .rTree })
        else { return nil }
        let columns = index.elements.compactMap { element -> String? in
            guard let name = element.propertyName, let property = entity.property(named: name),
                case .attribute(let column) = storage.properties[property.index]
            else { return nil }
            switch column.type {
            case .integer16, .integer32, .integer64, .double, .float, .decimal, .date: return column.name
            default: return nil
            }
        }
        guard columns.count == index.elements.count else { return nil }
        return SpatialIndex(
            suffix: "\(entity.name.uppercased())_\(index.name.uppercased())", table: storage.table, columns: columns)
    }

    /// The required side indexes that a file has.
    func present(in catalog: StoreCatalog) -> SideIndexes {
        guard !catalog.sideIndexes.isEmpty else { return .none }
        var present = SideIndexes()
        present.search = search.filter { catalog.sideIndexes[$1.name] == $1.statement }
        present.places = places.mapValues { $0.filter { catalog.sideIndexes[$0.name] == $0.statement } }.filter {
            !$0.value.isEmpty
        }
        return present
    }

    /// Whether a schema entry belongs to a side index, exactly as Folio and SQLite create it.
    static func isDefinition(_ name: String, _ statement: String) -> Bool {
        SearchIndex.isDefinition(name, statement) || SearchIndex.isContent(name, statement)
            || SpatialIndex.isDefinition(name, statement)
    }
}

extension StoreLayout {
    package func searchIndex(of table: String) -> SearchIndex? { sideIndexes.search[table] }
    package func placeIndexes(of table: String) -> [SpatialIndex] { sideIndexes.places[table] ?? [] }
}
