/// All commands, in the order of the help.
enum CommandTable {
    static var commands: [any Command.Type] {
        [
            NewCommand.self,
            InfoCommand.self,
            ModelCommand.self,
            FetchCommand.self,
            GetCommand.self,
            ExplainCommand.self,
            InsertCommand.self,
            SetCommand.self,
            DeleteCommand.self,
            ImportCommand.self,
            MigrateCommand.self,
            ExportCommand.self,
            SaveAsCommand.self,
            DiffCommand.self,
            MergeCommand.self,
            ConflictsCommand.self,
            ResolveCommand.self,
            GitCommand.self,
            VerifyCommand.self,
            RepairCommand.self,
            VersionsCommand.self,
            RestoreCommand.self,
            RecoverCommand.self,
            PackCommand.self,
            UnpackCommand.self,
            AttachCommand.self,
            ExtractCommand.self,
            CodegenCommand.self,
            PortCommand.self,
            ServeCommand.self,
            CompletionCommand.self,
            HelpCommand.self,
        ]
    }

    static func command(named name: String) -> (any Command.Type)? {
        commands.first { $0.specification.name == name }
    }

    static var names: [String] { commands.map { $0.specification.name } }
}
