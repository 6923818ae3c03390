/// Carries a value to the queue that uses it next.
// Sendable because two threads never use the value at the same time: the value is stored once,
// before the transfer is submitted to a queue, whose submission orders the two; and the sender
// either ends its use with the submission (`run`) or waits for the queue (`wait`). The blocks of
// callers fall under the contract of `perform`: what they capture is used in the queue alone.
struct UncheckedTransfer<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
