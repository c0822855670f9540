import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccountId } from "../../src/features/accounts/Domain.ts"
import { BacklinkId } from "../../src/features/backlinks/Domain.ts"
import * as LinkingPage from "../../src/features/backlinks/LinkingPage.ts"
import { after, PageReader, type Standing } from "../../src/features/backlinks/Look.ts"
import { AllowanceRepo, PaceRepo } from "../../src/features/backlinks/Pace.ts"
import * as Rounds from "../../src/features/backlinks/Rounds.ts"
import { Outbound, OutboundError, type OutboundReason } from "../../src/foundation/outbound/Outbound.ts"

const day = 86_400_000
const lossAfter = 7 * day
const hosts = 12
const site = {
  account: AccountId.make("00000000-0000-4000-8000-000000000000"),
  host: "shop.example",
  url: "https://shop.example/"
}
const timing = { backoff: 1, confirmAfter: 0, idleTimeout: 1000, pageDeadline: 0, robotsDeadline: 0 }
const timings = { bodyMs: 0, connectMs: 0, dnsMs: 0, firstByteMs: 0, reused: false, tlsMs: 0, totalMs: 0 }

/** Mulberry32: a seed gives the same rounds. */
const random = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const words = "Shoes are worn on feet, and feet are worn by those who walk for long on roads of stone and sand. "
const page = (link: string) => `<!doctype html><title>t</title><main><p>${words.repeat(3)}</p>${link}</main>`
const live = page('<a href="https://shop.example/x" rel="nofollow">Shop</a>')

/** Responses of a host during an outage of it or of the network: none proves that the link is missing. */
const outages = {
  challenge: [403, '<script src="/cdn-cgi/challenge-platform/h/b"></script>'],
  connect: "connect",
  dns: "dns",
  fault: [500, "fault"],
  forbidden: [403, "no"],
  guard: [200, '<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>'],
  maintenance: [503, page("")],
  protocol: "protocol",
  rate: [429, ""],
  reset: "reset",
  robots: "robots",
  robotsFault: "robotsFault",
  shell: [200, '<div id="app"></div><script src="/app.js"></script>'],
  timeout: "timeout",
  tls: "tls"
} as const
type Outage = keyof typeof outages
const kinds: ReadonlyArray<string> = Object.keys(outages)
const isOutage = (kind: string): kind is Outage => kinds.includes(kind)

/** The state of a host in a round: fine, an outage, a page missing once, or a link removed for good. */
type Matter = Outage | "none" | "gone once" | "removed"

/** `backlinks [--rounds 10000] [--seed 1]`: live links behind random outages are never reported as lost, and removed links are. */
export const backlinks = async (given: ReadonlyArray<string>) => {
  const number = (name: string, otherwise: number) => Number(given[given.indexOf(name) + 1] ?? otherwise) || otherwise
  const [rounds, seed] = [number("--rounds", 10_000), number("--seed", 1)]
  const next = random(seed)
  const pick = (): Outage => {
    const kind = kinds[Math.floor(next() * kinds.length)] ?? "dns"
    return isOutage(kind) ? kind : "dns"
  }
  const matters = new Map<string, Matter>()
  let isDown = false

  const fail = (reason: OutboundReason) =>
    new OutboundError({ message: reason, reason, timings: { ...timings, connectMs: null } })
  const answer = (status: number, text: string) => {
    const body = new TextEncoder().encode(text)
    const headers = [["content-type", "text/html; charset=utf-8"]] as const
    return Effect.succeed({
      body,
      bytesRead: body.length,
      headers,
      remoteAddress: "203.0.113.1",
      status,
      timings,
      truncated: false
    })
  }
  const exchange = ({ url }: { readonly url: URL }) =>
    Effect.suspend(() => {
      if (isDown) return fail(next() < 0.5 ? "dns" : "connect")
      const matter = matters.get(url.host) ?? "none"
      const isRobots = url.pathname === "/robots.txt"
      if (matter === "robots" && isRobots) return answer(200, "User-agent: *\nDisallow: /")
      if (matter === "robotsFault" && isRobots) return answer(503, "")
      if (matter === "none" || matter === "robots" || matter === "robotsFault")
        return isRobots ? answer(404, "") : answer(200, live)
      if (matter === "gone once") return answer(404, "")
      if (matter === "removed") return isRobots ? answer(404, "") : answer(200, page(""))
      const outage = outages[matter]
      if (typeof outage === "string") return fail(outage)
      return answer(outage[0], outage[1])
    })
  const services = Layer.mergeAll(
    Layer.succeed(
      AllowanceRepo,
      AllowanceRepo.make({
        allowance: () => Effect.succeed({ left: 1, limit: 1, untilTomorrow: 1 }),
        take: () => Effect.succeedSome({ pages: 1 })
      })
    ),
    Layer.succeed(PageReader, { read: LinkingPage.readLink, rules: LinkingPage.readRules }),
    Layer.succeed(Outbound, { exchange, vet: () => Effect.succeed(["203.0.113.1"]) }),
    Layer.succeed(
      PaceRepo,
      PaceRepo.make({
        pause: 0,
        reserve: () => Effect.succeedSome({ isReserved: true, wait: 0 }),
        sweep: Effect.void
      })
    )
  )

  let at = 1_700_000_000_000
  let [thrown, falsely, looks, removed, told] = [0, 0, 0, 0, 0]
  const unseen: Standing = { goneSince: null, lastLiveAt: null, lostAt: null, rel: [] }
  const standings = new Map<string, Standing>()
  const found = new Map<string, number>()
  const due = Array.from({ length: hosts }, (_, host) => ({
    host: `h${host}.example`,
    id: BacklinkId.make(`00000000-0000-4000-8000-${String(host).padStart(12, "0")}`),
    target: null,
    url: `https://h${host}.example/page`
  }))
  for (let round = 0; round < rounds; round++) {
    at += (1 + Math.floor(next() * 10)) * day
    isDown = next() < 0.1
    // At times the network to most hosts is down.
    const isBad = next() < 0.1
    for (const { host } of due) {
      const before = matters.get(host) ?? "none"
      const wasSeen =
        before === "none" && standings.get(host)?.lastLiveAt !== null && standings.get(host)?.goneSince === null
      if (before === "removed") continue
      if (before === "gone once") matters.set(host, standings.get(host)?.goneSince == null ? "gone once" : "none")
      else if (before !== "none" && next() < 0.6) continue
      else if (next() < (isBad ? 0.6 : 0.1)) matters.set(host, pick())
      else if (wasSeen && next() < 0.02) matters.set(host, "gone once")
      else if (wasSeen && next() < 0.002) {
        matters.set(host, "removed")
        found.set(host, 0)
        removed += 1
      } else matters.set(host, "none")
    }
    const end = await Effect.runPromise(Rounds.run(site, due, timing).pipe(Effect.provide(services)))
    if (end._tag === "Outage") {
      thrown += 1
      continue
    }
    for (const { id, look } of end.seen) {
      const host = due.find((one) => one.id === id)?.host ?? ""
      const { change, standing } = after(standings.get(host) ?? unseen, look, at, lossAfter)
      standings.set(host, standing)
      looks += 1
      if (matters.get(host) !== "removed") {
        if (change === "lost") {
          falsely += 1
          console.log(`round ${round}: ${host} is told as lost, though it links (${matters.get(host)}, ${look.state})`)
        }
      } else if (change === "lost") {
        told += 1
        // The link comes back, so that it can be removed again.
        matters.set(host, "none")
        found.delete(host)
      }
    }
  }
  const open = found.size
  console.log(
    `seed ${seed}: ${rounds} rounds of ${hosts} hosts, ${thrown} thrown away, ${looks} looks; lost though they link: ${falsely}; removed: ${removed}, told: ${told}, not yet confirmed: ${open}`
  )
  return falsely === 0 && told + open === removed && thrown > 0
}
