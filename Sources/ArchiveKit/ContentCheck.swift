/// Checks the content of a file while it is packed or extracted, which saves reading it again.
///
///     ContentCheck(take: { hash.update($0) }, finish: { guard hash.digest() == expected else { throw … } })
package struct ContentCheck {
    /// Receives the next bytes, which are valid only during the call.
    package let take: (UnsafeRawBufferPointer) throws -> Void
    /// Called at the end; throws if the content is wrong.
    package let finish: () throws -> Void

    package init(take: @escaping (UnsafeRawBufferPointer) throws -> Void, finish: @escaping () throws -> Void) {
        self.take = take
        self.finish = finish
    }
}
