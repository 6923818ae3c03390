public import RowMemory

/// Some attributes by their names, for reading by key: a look through a list that mostly fits into a few cache lines, where a dictionary has to hash the name.
@usableFromInline
struct ShortNames: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let name: ShortName
        @usableFromInline let cell: RowCell
        @usableFromInline let kind: SlotKind
    }

    private static let most = 24
    @usableFromInline let entries: ContiguousArray<Entry>

    /// - Parameter attributes: Those beyond the first few, and those with long names, are left to the dictionary.
    init(_ attributes: [(name: String, slot: RowSlot)]) {
        var entries: ContiguousArray<Entry> = []
        for attribute in attributes where ShortString.isSupported && entries.count < Self.most {
            if let name = ShortName(attribute.name) { entries.append(Entry(name: name, cell: RowCell(attribute.slot), kind: attribute.slot.kind)) }
        }
        self.entries = entries
    }

    /// Nil says nothing: the name may be there in another form.
    @inlinable @inline(__always) subscript(name: String) -> Entry? {
        guard let name = ShortName(name) else { return nil }
        for index in entries.indices where entries[index].name == name { return entries[index] }
        return nil
    }
}
