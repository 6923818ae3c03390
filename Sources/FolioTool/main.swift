import CFolioTool
import FolioCommands

CommandLineTool.main(UnsafeBufferPointer(start: folio_process_words(), count: Int(folio_process_word_count())))
