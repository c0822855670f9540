import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { Answer, Asked } from "../../../src/crawl/render/Rendering.ts"
import { Renderer } from "../../../src/crawl/render/Rendering.ts"
import { suite } from "../../harness.ts"
import { browser, patient } from "./oracle.ts"

const runs = browser !== null
if (!runs) console.warn("Skipped: workers and other origins in a browser, which this machine does not have.")

const userAgent = "Mozilla/5.0 (compatible; TestBot/1.0)"
const url = new URL("http://site.test/page")

const answer = (body: string, type: string, headers: Answer["headers"] = [], status = 200): Answer => ({
  body: new TextEncoder().encode(body),
  headers: [["content-type", type], ...headers],
  status
})

/** Waits in the page's own time, which begins again with each request, for what workers and requests bring. */
const waiting = `
  const show = (id, text) => { const line = document.createElement("p"); line.id = id; line.textContent = text; document.body.append(line) }
  const wait = async (done) => { for (let at = 0; !done() && at < 400; at++) await fetch("/tick?" + at) }
`

const documentOf = (script: string) => `<!doctype html><title>x</title><body><script>${waiting}${script}</script>`

/** The texts that the page shows, by the id of their lines, with the requests. */
const shown = (script: string, respond: (asked: Asked) => Answer) =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const renderer = yield* Renderer
    const { html } = yield* renderer.render(
      { ...answer(documentOf(script), "text/html"), url, userAgent },
      (request) => {
        if (request.url.pathname === "/tick") return Effect.delay(Effect.succeed(answer("", "text/plain")), 20)
        asked.push(request)
        return Effect.succeed(respond(request))
      }
    )
    const lines = [...html.matchAll(/<p id="(\w+)">([^<]*)<\/p>/g)].map(([, id = "", text = ""]) => [id, text])
    return { asked, lines: Object.fromEntries(lines) }
  })

const ifPossible = runs ? describe : describe.skip

ifPossible("a rendered page", () => {
  const test = suite(patient, { timeout: 300_000 })

  test("has workers with the clock, the random numbers and the name that are the same each time", function* () {
    const worker = `postMessage(JSON.stringify([new Date().toISOString(), Date.now() - 1767225600000, Date().slice(0, 15),
      new Date(0).getTime(), new Date() instanceof Date, performance.now(), Math.random(), crypto.randomUUID(),
      crypto.getRandomValues(new Uint8Array(4)).join(), navigator.userAgent]))`
    const script = `let come = false
      new Worker("/worker.js").onmessage = ({ data }) => { come = true; show("worker", data) }
      show("page", navigator.userAgent)
      wait(() => come)`
    const respond = () => answer(worker, "text/javascript")
    const { asked, lines } = yield* shown(script, respond)
    const values = JSON.parse(lines.worker ?? "[]")
    expect(values.slice(0, 6)).toEqual(["2026-01-01T00:00:00.000Z", 1, "Thu Jan 01 2026", 0, true, 4])
    expect(values.at(-1)).toBe(userAgent)
    expect(lines.page).toBe(userAgent)
    expect(asked.map(({ url }) => url.pathname)).toEqual(["/worker.js"])
    expect((yield* shown(script, respond)).lines).toEqual(lines)
  })

  test("reads an API of another origin that echoes Origin and asks for a preflight", function* () {
    const script = `fetch("http://api.test/plain").then((response) => response.text()).then((text) => show("plain", text))
      fetch("http://api.test/key", { headers: { "X-Key": "1" } }).then((response) => response.text()).then((text) => show("key", text))
      fetch("http://api.test/closed").catch((error) => show("closed", error.message))`
    const { asked, lines } = yield* shown(script, ({ headers, method, url: { pathname } }) => {
      const allowed: Answer["headers"] =
        headers.origin === undefined || pathname === "/closed"
          ? []
          : [
              ["access-control-allow-origin", headers.origin],
              ["access-control-allow-headers", headers["access-control-request-headers"] ?? ""]
            ]
      return answer(method === "OPTIONS" ? "" : `key ${headers["x-key"] ?? "none"}`, "text/plain", allowed)
    })
    expect(lines).toEqual({ closed: "Failed to fetch", key: "key 1", plain: "key none" })
    expect(asked.map(({ method, url }) => `${method} ${url.pathname}`).toSorted()).toEqual([
      "GET /closed",
      "GET /key",
      "GET /plain",
      "OPTIONS /key"
    ])
  })
})
