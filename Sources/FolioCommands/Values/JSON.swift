// Every command speaks JSON: its values, which live in Coding, are visible in all files of this
// room.
@_exported public import Coding
