// Who does what: the session holds the connection and what is known of the store, and each of these
// does one thing with it. None has state of its own.
extension StoreSession {
    var writer: ChangeWriter { ChangeWriter(self) }
    var keys: KeyReservation { KeyReservation(self) }
    var replacedFiles: ReplacedFiles { ReplacedFiles(self) }
    var indexing: SideIndexUpdater { SideIndexUpdater(self) }
    var history: StoreHistory { StoreHistory(self) }
    var batch: BatchExecution { BatchExecution(self) }
}
