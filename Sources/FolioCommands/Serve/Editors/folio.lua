-- Folio documents in Neovim, by way of `folio serve`: a sample of an editor's plug-in.
--
--     lua vim.opt.runtimepath:append("…/this folder's parent") or copy this file to ~/.config/nvim/lua/folio.lua
--     lua require("folio").open("Library.folio", "Book")
--
-- The first buffer lists objects, one a line. <CR> opens one as a JSON text, and :w there changes it, as one step of undo.
-- In the list, :w saves the document, u and <C-r> undo and redo, dd deletes, and the title line shows what is unsaved.

local M = {}
local server, last, answers, partial = nil, 0, {}, ""
M.lists = {} -- by the document's name: buffer, entity, state

local function receive(_, data)
  data[1] = partial .. data[1]
  partial = table.remove(data)
  for _, line in ipairs(data) do
    local message = vim.json.decode(line)
    if message.id then
      answers[message.id] = message
    elseif message.method == "document/changed" or message.method == "result/changed" then
      local list = M.lists[message.params.document]
      if list then
        list.state = message.method == "document/changed" and message.params or list.state
        vim.schedule(function() M.refresh(message.params.document) end)
      end
    elseif message.method == "document/conflict" then
      vim.schedule(function() vim.notify("another program has changed the document", vim.log.levels.WARN) end)
    end
  end
end

local function send(message)
  message.jsonrpc = "2.0"
  vim.fn.chansend(server, vim.json.encode(message) .. "\n")
end

-- Calls a method of the server and waits for the answer.
function M.call(method, params)
  if not server then
    server = vim.fn.jobstart({ vim.g.folio_command or "folio", "serve", "--stdio", "--lines" }, {
      on_stdout = receive,
      on_exit = function() server = nil end,
    })
    M.call("initialize", vim.empty_dict())
    vim.api.nvim_create_autocmd("VimLeavePre", { callback = M.stop })
  end
  last = last + 1
  local id = last
  send({ id = id, method = method, params = params })
  if not vim.wait(10000, function() return answers[id] ~= nil end, 5) then error("folio does not answer") end
  local answer = answers[id]
  answers[id] = nil
  if answer.error then
    local data = answer.error.data or {}
    error("folio: " .. answer.error.message .. (data.hint and " (" .. data.hint .. ")" or ""), 0)
  end
  return answer.result
end

-- Says goodbye; unsaved work is kept for the next opening.
function M.stop()
  if not server then return end
  M.call("shutdown")
  send({ method = "exit" })
  vim.fn.jobwait({ server }, 5000)
end

local function buffer(name, lines, write)
  local number = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_name(number, name)
  vim.bo[number].buftype = "acwrite"
  vim.api.nvim_buf_set_lines(number, 0, -1, false, lines)
  vim.bo[number].modified = false
  vim.api.nvim_create_autocmd("BufWriteCmd", { buffer = number, callback = write })
  vim.api.nvim_set_current_buf(number)
  return number
end

local function short(id) return id:match("([^/]+/[^/]+)$") end

-- Shows the objects and the state anew.
function M.refresh(document)
  local list = M.lists[document]
  if not list or not vim.api.nvim_buf_is_valid(list.buffer) then return end
  local rows = M.call("result/rows", { watch = list.watch }).rows
  local state = list.state
  local lines = { ("%s%s  %d %s  undo: %s"):format(state.hasUnsavedChanges and "* " or "", list.path, #rows,
    list.entity, state.undoName ~= "" and state.undoName or "–") }
  for _, row in ipairs(rows) do
    local cells = {}
    for _, column in ipairs(list.columns) do
      if row[column] ~= vim.NIL then table.insert(cells, tostring(row[column])) end
    end
    table.insert(lines, short(row.id) .. "\t" .. table.concat(cells, "\t"))
  end
  vim.api.nvim_buf_set_lines(list.buffer, 0, -1, false, lines)
  vim.bo[list.buffer].modified = state.hasUnsavedChanges
end

-- Opens an object as JSON text.
function M.edit(document, id)
  local object = M.call("object/get", { document = document, ids = { id } })[1]
  local lines = { "{" }
  local keys = vim.tbl_keys(object.attributes)
  table.sort(keys)
  for index, key in ipairs(keys) do
    local comma = index < #keys and "," or ""
    table.insert(lines, ("  %s: %s%s"):format(vim.json.encode(key), vim.json.encode(object.attributes[key]), comma))
  end
  table.insert(lines, "}")
  local number
  number = buffer("folio://" .. document .. "/" .. id, lines, function()
    local text = table.concat(vim.api.nvim_buf_get_lines(number, 0, -1, false), "\n")
    local edit = { id = id, values = vim.json.decode(text) }
    M.call("object/set", { document = document, name = "Edit " .. id, edits = { edit } })
    vim.bo[number].modified = false
  end)
  return number
end

-- Opens a document and lists the objects of an entity. Where an editor left unsaved work, that is taken up.
function M.open(path, entity)
  local info = M.call("document/open", { path = path, recovery = "keep" })
  local document, columns = info.document, {}
  for _, described in ipairs(M.call("model/describe", { document = document }).entities) do
    for _, attribute in ipairs(described.name == entity and described.attributes or {}) do
      if attribute.type == "String" or attribute.type:match("^Integer") then table.insert(columns, attribute.name) end
    end
  end
  local watch = M.call("result/watch",
    { document = document, entity = entity, columns = #columns > 0 and columns or nil, sort = columns[1] })
  local number = buffer("folio://" .. path, {}, function()
    M.call("document/save", { document = document })
    M.lists[document].state.hasUnsavedChanges = false
    M.refresh(document)
  end)
  M.lists[document] = { buffer = number, entity = entity, watch = watch.watch, columns = columns, path = path, state = info }
  local function map(keys, action) vim.keymap.set("n", keys, action, { buffer = number }) end
  local function id() return vim.api.nvim_get_current_line():match("^(%w+/p%d+)") end
  map("<CR>", function() if id() then M.edit(document, id()) end end)
  map("dd", function() if id() then M.call("object/delete", { document = document, ids = { id() }, name = "Delete" }) end end)
  map("u", function() M.call("undo", { document = document }) end)
  map("<C-r>", function() M.call("redo", { document = document }) end)
  M.refresh(document)
  return document
end

return M
