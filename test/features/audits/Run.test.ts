import { describe, expect } from "bun:test"
import { existsSync } from "node:fs"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import type { AccountId } from "../../../src/features/accounts/Domain.ts"
import { checkEquipment } from "../../../src/features/audits/run/Lighthouse.ts"
import { ended, spawn } from "../../cli.ts"
import { databaseUrl } from "../../cluster.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { receiver } from "../webhooks/receiver.ts"
import { nothingIsLeft } from "./leftovers.ts"

/** All ways in which a page can send a browser to another server, including redirects of its own server. */
const embedding = (server: string, moved: string) => `
<link rel="stylesheet" href="http://${server}/style"><img src="http://${server}/img"><img src="${moved}">
<iframe src="http://${server}/frame"></iframe><object data="http://${server}/object"></object>
<script src="http://${server}/script"></script><script>
fetch("http://${server}/fetch", { mode: "no-cors" }).catch(() => {})
navigator.sendBeacon("http://${server}/beacon")
new WebSocket("ws://${server}/socket")
</script>`

const stun = (port: number) => `<script>
const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] })
peer.createDataChannel("x")
peer.createOffer().then((offer) => peer.setLocalDescription(offer))
</script>`

/** The requests that the page can cause in these ways. */
const everyWay = ["beacon", "fetch", "frame", "img", "moved", "object", "script", "socket", "style"]

/**
 * Two neighbours of an audited page: one on 127.0.0.2 records the requests it gets, the other, on 127.0.0.1, counts connections. The page embeds both, and
 * sends UDP to a third. The audit must not reach 127.0.0.1: unless configured otherwise browsers connect to it directly instead of through a proxy.
 */
const neighbours = Effect.acquireRelease(
  Effect.promise(async () => {
    const asked = new Set<string>()
    let connections = 0
    let datagrams = 0
    const allowed = Bun.serve({
      hostname: "127.0.0.2",
      port: 0,
      fetch: ({ url }) => {
        asked.add(new URL(url).pathname.slice(1))
        return new Response("")
      }
    })
    const forbidden = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: () => {},
        open: (socket) => {
          connections++
          socket.end()
        }
      }
    })
    const udp = await Bun.udpSocket({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: () => {
          datagrams++
        }
      }
    })
    const redirects: Readonly<Record<string, string>> = {
      "/moved-inside": `http://127.0.0.1:${forbidden.port}/moved`,
      "/moved-next-door": `http://127.0.0.2:${allowed.port}/moved`
    }
    const html = [
      embedding(`127.0.0.1:${forbidden.port}`, "/moved-inside"),
      embedding(`127.0.0.2:${allowed.port}`, "/moved-next-door"),
      stun(udp.port)
    ].join("")
    const close = async () => {
      forbidden.stop(true)
      udp.close()
      await allowed.stop(true)
    }
    const seen = () => ({ asked: [...asked].sort(), connections, datagrams })
    return { close, html, redirects, seen }
  }),
  ({ close }) => Effect.promise(close)
)

/** Leftovers are searched in /proc, and only Linux has a 127.0.0.2. */
const equipped =
  existsSync("/proc/self/cmdline") &&
  (await Effect.runPromise(Effect.isSuccess(Effect.provide(checkEquipment, BunContext.layer))))

if (!equipped)
  console.warn("NOTICE: no Chromium, lighthouse or /proc on this machine, the real `audits run` is skipped")

const it = suite(Server.layerWithWorkers)

const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<link rel="stylesheet" href="/style.css"></head><body><main><h1 id="hero">Hello, audit</h1>
<img src="/a.png" width="9" height="9"><iframe src="/frame" title="Neighbours" width="9" height="9"></iframe></main></body></html>`

const document = (text: string) => new Response(text, { headers: { "content-type": "text/html" } })

/** A shop of one page, with a frame of its own. */
const shop = (frame: string, redirects: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        hostname: "127.0.0.2",
        port: 0,
        fetch: ({ url }) => {
          const { pathname } = new URL(url)
          const moved = redirects[pathname]
          if (moved !== undefined) return Response.redirect(moved)
          if (pathname === "/") return document(html)
          if (pathname === "/frame") return document(frame)
          return new Response("h1 { color: #333 }", { headers: { "content-type": "text/css" } })
        }
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  )

/** Runs `audits run` like an administrator, in a separate process. */
const auditsRun = (account: AccountId, env: Record<string, string>, ...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const DATABASE_URL = yield* databaseUrl
    const settings = { DATABASE_URL, FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.2/32", ...env }
    const child = spawn("cli", settings, ["audits", "run", "--account", account, ...words, "--json"])
    const { code, stderr, stdout } = yield* ended(child)
    return { code, pid: child.pid, stderr: stderr.trim(), stdout }
  })

describe.skipIf(!equipped)("audits run", () => {
  it("audits a page to a report, its fixes and a signed event, visits no private URL, and leaves no files or processes", function* () {
    const { account, key } = yield* Server.customer()
    const target = yield* receiver()
    const events = ["audit.completed", "audit.failed"]
    yield* Server.send("POST", "/api/v1/webhooks", { body: { events, url: target.url }, key })
    const { html: frame, redirects, seen } = yield* neighbours
    const { port } = yield* shop(frame, redirects)
    const url = `http://127.0.0.2:${port}/`

    const { code, pid, stderr, stdout } = yield* auditsRun(account, {}, url, "--device", "desktop")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(seen()).toEqual({ asked: everyWay, connections: 0, datagrams: 0 })
    yield* nothingIsLeft(pid)
    const run = JSON.parse(stdout)
    expect(run).toMatchObject({ device: "desktop", source: "lighthouse", status: "completed", url })

    const audit = yield* Server.send("GET", `/api/v1/audits/${run.id}`, { key })
    const { core_web_vitals, findings_summary, overall_score, scores } = audit.body.data
    expect(audit.body.data).toMatchObject({ created_at: run.created_at, id: run.id, status: "completed", url })
    expect(core_web_vitals.status).toBe("good")
    expect(core_web_vitals.metrics).toMatchObject({
      cls: expect.any(Number),
      inp_ms: null,
      lcp_ms: expect.any(Number)
    })
    expect(core_web_vitals.diagnostics.lcp_element_selector).toContain("h1#hero")

    const fixes = yield* Server.send("GET", `/api/v1/audits/${run.id}/fixes`, { key })
    const ids: ReadonlyArray<string> = fixes.body.data.map(({ id }: { id: string }) => id)
    expect(ids).toContain("fix_image-alt")
    const judged = fixes.body.data.filter(({ severity }: { severity: string }) => severity !== "info")
    expect(judged).toHaveLength(findings_summary.critical + findings_summary.warning)

    const [delivery] = yield* target.arrived(1)
    expect(delivery?.headers["service-event-type"]).toBe("audit.completed")
    expect(delivery?.headers["service-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    expect(JSON.parse(delivery?.body ?? "")).toMatchObject({
      data: {
        id: run.id,
        outcome: { findings_summary, overall_score, scores, status: "completed" },
        subject: "audit",
        url
      },
      type: "audit.completed"
    })
  }, 90_000)
})

describe("audits run without a browser", () => {
  it("says in one sentence that the browser is missing, and records nothing", function* () {
    const { account } = yield* Server.customer()
    const answer = yield* auditsRun(account, { CHROME_PATH: "/nowhere/chrome" }, "http://127.0.0.2:2/")
    expect(answer).toMatchObject({ code: 1, stderr: "findable: CHROME_PATH is not the path of a file.", stdout: "" })
  })

  it("accepts a private URL on the command line without a setting", function* () {
    const { account } = yield* Server.customer()
    const settings = { CHROME_PATH: "/nowhere/chrome", FINDABLE_ALLOW_PRIVATE_NETWORKS: "" }
    const { stderr } = yield* auditsRun(account, settings, "http://127.0.0.1:2/")
    expect(stderr).toBe("findable: CHROME_PATH is not the path of a file.")
  })
})
