/** A separate process: serves `/kind/` with links to fifty pages of that kind, and prints its port. */
import { createServer } from "node:http"
import { type Body, type PageKind, pages } from "./pages.ts"

const kinds: ReadonlyArray<string> = Object.keys(pages)
const isKind = (name: string): name is PageKind => kinds.includes(name)

const made = new Map<PageKind, Body>()
const bodyOf = (kind: PageKind): Body => {
  const body: Body = made.get(kind) ?? pages[kind]()
  made.set(kind, body)
  return body
}

const index = () => Array.from({ length: 50 }, (_, at) => `<a href="page-${at}/">${at}</a>`).join("")

const server = createServer((request, response) => {
  const [, kind = "", page = ""] = decodeURIComponent(request.url ?? "/").split("/")
  if (!isKind(kind)) return void response.writeHead(404).end()
  if (page === "") return void response.writeHead(200, { "content-type": "text/html" }).end(index())
  if (!page.startsWith("page-")) return void response.writeHead(404).end()
  const { bytes, encoding } = bodyOf(kind)
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    ...(encoding === null ? {} : { "content-encoding": encoding })
  })
  response.end(bytes)
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  for (const kind of kinds) if (isKind(kind)) bodyOf(kind)
  process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`)
})
