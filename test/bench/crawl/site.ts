/** A process of its own: serves a site of so many pages, each of `least` to `most` bytes, every answer so many milliseconds late, and says where. */
import { pageOf } from "./pages.ts"

const [pages = 50, least = 20_000, most = least, latency = 0] = process.argv.slice(2).map(Number)

/** Pages that are kept once they are made; a larger site is made again for each request. */
const kept = new Map<number, Uint8Array>()
const mostKept = 2000
const encoder = new TextEncoder()

const bodyOf = (index: number): Uint8Array => {
  const known = kept.get(index)
  if (known !== undefined) return known
  const body = encoder.encode(pageOf(index, pages, least + Math.round(((most - least) * (index % 11)) / 10)))
  if (kept.size < mostKept) kept.set(index, body)
  return body
}
for (let index = 0; index < Math.min(pages, mostKept); index++) bodyOf(index)

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (latency > 0) await Bun.sleep(latency)
    const { pathname } = new URL(request.url)
    const index = pathname === "/" ? 0 : Number(/^\/p(\d+)$/.exec(pathname)?.[1] ?? "-1")
    if (pathname.startsWith("/i/")) return new Response("", { headers: { "content-type": "image/png" } })
    if (index < 0 || index >= pages) return new Response("", { status: 404 })
    return new Response(bodyOf(index), { headers: { "content-type": "text/html" } })
  }
})
console.log(`answers on ${server.url.origin}`)
