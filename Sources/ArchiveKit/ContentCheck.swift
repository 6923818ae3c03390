/// Looks at the content of one file on its way into an archive or out of it, so that nobody reads
/// it once more to judge it.
///
///     ContentCheck(take: { hash.update($0) }, finish: { guard hash.digest() == expected else { throw … } })
package struct ContentCheck {
    /// Takes the next bytes, which are valid within the call only.
    package let take: (UnsafeRawBufferPointer) throws -> Void
    /// Judges what was taken, at its end.
    package let finish: () throws -> Void

    package init(take: @escaping (UnsafeRawBufferPointer) throws -> Void, finish: @escaping () throws -> Void) {
        self.take = take
        self.finish = finish
    }
}
