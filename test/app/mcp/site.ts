import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

/** A small site from files in a folder, like a repository; a changed file is served with the next request. */
export const siteOf = (pages: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const folder = mkdtempSync(join(tmpdir(), "findable-site-"))
        for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text)
        const names = new Set(Object.keys(pages))
        const server = Bun.serve({
          fetch: ({ url }) => {
            const name = new URL(url).pathname.slice(1) || "index.html"
            return names.has(name)
              ? new Response(readFileSync(join(folder, name)), {
                  headers: { "content-type": "text/html; charset=utf-8" }
                })
              : new Response("not here", { status: 404 })
          },
          hostname: "127.0.0.1",
          port: 0
        })
        return { folder, server }
      }),
      ({ folder, server }) =>
        Effect.promise(() => server.stop(true)).pipe(
          Effect.zipRight(Effect.sync(() => rmSync(folder, { recursive: true })))
        )
    ),
    ({ folder, server }) => ({
      edit: (name: string, change: (text: string) => string) =>
        Effect.sync(() => writeFileSync(join(folder, name), change(readFileSync(join(folder, name), "utf8")))),
      url: server.url.href
    })
  )

/** A page with everything that search engines ask for. */
export const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="${title}: what it is, and what to do with it."><meta name="viewport" content="width=device-width"></head><body><h1>${title}</h1><p>${body}</p></body></html>`
