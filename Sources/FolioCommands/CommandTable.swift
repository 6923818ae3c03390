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

    /// Commands by the names that other programs give them.
    static func names(forOther name: String) -> [String]? { otherNames[name.lowercased()] }

    private static let otherNames: [String: [String]] = [
        "list": ["fetch", "info"], "ls": ["fetch", "info"], "show": ["get", "fetch"], "view": ["get", "fetch"],
        "print": ["get", "fetch"], "query": ["fetch"], "select": ["fetch"], "find": ["fetch"], "search": ["fetch"],
        "rows": ["fetch"], "cat": ["get", "export"], "read": ["get", "fetch"], "open": ["info"],
        "describe": ["info", "model"],
        "stat": ["info"], "status": ["info"], "count": ["fetch DOC ENTITY --count"], "sql": ["explain"],
        "plan": ["explain"], "update": ["set"], "edit": ["set"], "change": ["set"], "modify": ["set"],
        "upsert": ["import"],
        "put": ["set", "attach"], "add": ["insert", "import"], "create": ["new", "insert"], "init": ["new"],
        "make": ["new", "insert"], "load": ["import"], "remove": ["delete"], "rm": ["delete"], "del": ["delete"],
        "convert": ["save-as", "migrate"], "copy": ["save-as"], "cp": ["save-as"], "save": ["save-as"],
        "backup": ["save-as"], "clone": ["save-as"], "duplicate": ["save-as"], "dump": ["export"],
        "history": ["versions"],
        "log": ["versions"], "undo": ["restore", "versions"], "revert": ["restore"], "rollback": ["restore"],
        "checkout": ["restore"], "upgrade": ["migrate"], "schema": ["model"], "entities": ["fetch", "info"],
        "tables": ["fetch", "info"], "compare": ["diff"], "check": ["verify"], "validate": ["verify"],
        "fsck": ["verify"],
        "fix": ["repair"], "zip": ["pack"], "archive": ["pack"], "compress": ["pack"], "unzip": ["unpack"],
        "image": ["extract"], "generate": ["codegen"], "lsp": ["serve"], "man": ["help"],
    ]

    static var names: [String] { commands.map { $0.specification.name } }
}
