/// The objects retained most recently, up to a fixed number.
struct RecentObjects {
    private static let capacity = 1024
    private var objects: ContiguousArray<ManagedObject> = []
    private var next = 0

    mutating func hold(_ object: ManagedObject) {
        if objects.count < Self.capacity {
            objects.append(object)
        } else {
            objects[next] = object
            next = (next + 1) % Self.capacity
        }
    }

    mutating func removeAll() {
        self = RecentObjects()
    }
}
