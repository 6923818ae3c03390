extension NSManagedObject {
    /// Notes a key that is asked for without a type, where a key path is being read in this thread;
    /// false where not.
    func isProbed(_ key: String) -> Bool { KeyProbe.note(key, of: self) }
}
