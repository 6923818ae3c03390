internal import DocumentFiles
internal import Schema

/// One-to-one relationships, each decided for both of its ends at once.
extension MergeEngine {
    private struct End: Hashable {
        let object: MergeName
        let property: Int
    }

    mutating func mergeOneToOnes() {
        var links: [End: Link] = [:], ends: [End] = []
        for name in names([ours, theirs], where: { schema.hasLinks($0.entity) && !gone.contains($0) }) {
            let entity = schema[name.entity], mine = ours[name], other = theirs[name]
            for property in entity.links {
                guard case .oneToOne = entity.properties[property].kind else { continue }
                let pairs = (ours: mine?[property], theirs: other?[property])
                if pairs.ours == nil, pairs.theirs == nil { continue }
                let end = End(object: name, property: property)
                links[end] = link(name, pairs)
                ends.append(end)
            }
        }
        var wanted: [End: MergeValue] = [:]
        for end in ends { wanted[end] = present(resolved(end, links[end] ?? Link())) }
        for end in ends {
            guard let link = links[end], var value = wanted[end] else { continue }
            // The other end may have been decided for somebody else.
            if let target = value.target, let other = otherEnd(end, target), let back = wanted[other],
                back.target != end.object
            {
                value = .null
            }
            if isInserted(end.object) {
                if !value.isNull { set(value, end.property, of: end.object) }
            } else if !value.isSame(as: link.current) {
                set(value, end.property, of: end.object)
            }
        }
    }

    private func otherEnd(_ end: End, _ target: MergeName) -> End? {
        guard case .oneToOne(let inverse) = schema[end.object.entity, end.property].kind else { return nil }
        return schema[target.entity].number(ofProperty: inverse).map { End(object: target, property: $0) }
    }

    private mutating func resolved(_ end: End, _ link: Link) -> MergeValue {
        let mine = link.ours, other = link.theirs
        guard let mine, let other, !mine.isSame(as: other) else { return mine ?? other ?? link.base }
        // Who lost the link only since its other end was given to somebody else said nothing of it.
        let isMineWeak = isTakenAway(end, mine, link.base, ours),
            isOtherWeak = isTakenAway(end, other, link.base, theirs)
        if isMineWeak { return other }
        if isOtherWeak { return mine }
        return decide(end.object, end.property, link.base, mine, other)
    }

    private func isTakenAway(_ end: End, _ value: MergeValue, _ base: MergeValue, _ side: MergeSide) -> Bool {
        guard value.isNull, let target = base.target, let other = otherEnd(end, target),
            let now = side[target]?.new[other.property]?.target
        else { return false }
        return now != end.object
    }
}
