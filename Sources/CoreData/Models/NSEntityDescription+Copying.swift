public import Foundation

extension NSEntityDescription: NSCopying {
    /// A description of its own with copies of the properties, which belongs to no model.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSEntityDescription(Content())
        copy.content.entity = content.entity
        copy.content.entity.superentityName = superentity?.name ?? content.entity.superentityName
        copy.content.properties = content.properties.map { $0.duplicate() }
        for property in copy.content.properties { property.owner = copy }
        copy.content.constraints = content.constraints?.map { $0.map { ($0 as? NSPropertyDescription)?.name ?? $0 } }
        copy.content.indexes = content.indexes.map { $0.duplicate(for: copy) }
        return copy
    }
}
