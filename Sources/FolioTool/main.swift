import FolioCommands

CommandLineTool.main()
