import RowMemory
import Schema
import Storage

extension SaveOutcome {
    /// Sets the derived values that the store computed during a save. They overwrite values that
    /// were set here, because only the store computes them.
    func takeDerivedValues(_ rows: RowBatch) {
        var hasNews = false
        for index in 0..<rows.count {
            let fresh = rows[index]
            guard
                let object = context.registry.registered(
                    ObjectReference(key: fresh.key, entityIndex: fresh.entityIndex)), let row = object.optionalRow,
                !object.state.contains(.deleted)
            else { continue }
            var isChanged = false
            for slot in context.shapes[fresh.entityIndex].derivedSlots {
                let value = fresh.slotValue(slot)
                if object.recordIndex >= 0,
                    let place = context.changes.savedPositions(of: Int(object.recordIndex)).first(where: {
                        context.changes.saved[$0].property == slot.index
                    })
                {
                    context.changes.replaceSaved(at: place, with: value)
                }
                guard row.slotValue(slot) != value else { continue }
                context.registry.noteChange(object, Int(slot.index))
                row.setSlotValue(value, slot)
                isChanged = true
            }
            if isChanged, !object.state.isFault {
                context.news.refreshed.insert(object)
                hasNews = true
            }
        }
        if hasNews { context.events.endEvent() }
    }
}
