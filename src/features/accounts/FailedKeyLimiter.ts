import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Address from "../../foundation/outbound/Address.ts"
import { turnOf } from "../../foundation/process/Turns.ts"

/** The administrator's proxies. Only these may name a caller's IP address. */
export const TrustedProxies = Address.networks("FINDABLE_TRUSTED_PROXIES").pipe(
  Config.withDescription(
    "Networks of your reverse proxies, as comma-separated CIDRs. Findable trusts their `X-Forwarded-For`"
  )
)

/** An entry of `X-Forwarded-For`: an IP address, with a port or in brackets from some proxies. */
const entry = (text: string) =>
  Address.parse(/^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text)

/** Turns an IPv4 address that was mapped into IPv6 back to IPv4. */
const plain = (address: Address.Address) => (Address.isMapped(address) ? address.slice(12) : address)

/** The name for counting an IP address: for IPv6 the /64 network, because a customer has at least one (RFC 6177). */
const holder = (address: Address.Address) =>
  address.length === 4 ? address.join(".") : `${Buffer.from(address.slice(0, 8)).toString("hex")}/64`

/**
 * The client of a connection: its peer or, for a trusted proxy, the IP address that the proxy names. The list is read from the right, the last proxy first.
 * Entries left of the first untrusted address are only the client's claims.
 */
export const clientOf = (
  trusted: ReadonlyArray<Address.Cidr>,
  remote: Option.Option<string>,
  forwarded: string | undefined
): string => {
  const peer = Option.map(Option.flatMap(remote, Address.parse), plain)
  if (Option.isNone(peer)) return Option.getOrElse(remote, () => "unknown")
  const isTrusted = (address: Address.Address) => trusted.some((cidr) => Address.contains(cidr, address))
  const claimed = (forwarded ?? "").split(",").map((part) => entry(part.trim()))
  let client = peer.value
  while (isTrusted(client)) {
    const next = claimed.pop()
    if (next === undefined || Option.isNone(next)) break
    client = plain(next.value)
  }
  return holder(client)
}

/** The client of this server's requests, with the configured proxies. */
export const make = Effect.map(
  TrustedProxies,
  (trusted) => (request: HttpServerRequest.HttpServerRequest) =>
    clientOf(trusted, request.remoteAddress, request.headers["x-forwarded-for"])
)

/** Failed authentications that one IP address may cause in a window before it must wait. */
const limit = 1200
const windowMillis = 60_000
/** The most remembered IP addresses, and good keys; the oldest is forgotten first. */
const capacity = 10_000

interface Failures {
  readonly since: number
  readonly count: number
}

const forgetOldest = (known: Map<string, unknown>) => {
  const oldest = known.keys().next()
  if (known.size > capacity && !oldest.done) known.delete(oldest.value)
}

/**
 * Bounds the cost of requests without a usable key, by IP address and node: after 1,200 failures in a minute, requests of the address are refused without a
 * look-up until the minute is over. Other requests from its address never make a usable key fail: well-formed keys are still looked up, one per turn of the
 * event loop, and earlier good keys do not wait for them.
 */
export class FailedKeyLimiter extends Effect.Service<FailedKeyLimiter>()("accounts/FailedKeyLimiter", {
  sync: () => {
    const failures = new Map<string, Failures>()
    /** The accounts of good keys, by hash. */
    const good = new Map<string, string>()
    const current = (from: string, now: number): Failures => {
      const known = failures.get(from)
      return known !== undefined && now >= known.since && now - known.since < windowMillis
        ? known
        : { count: 0, since: now }
    }
    /** Counts one more failure of the IP address. */
    const note = (address: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { count, since } = current(address, now)
        failures.delete(address)
        failures.set(address, { count: count + 1, since })
        forgetOldest(failures)
      })
    return {
      /** Seconds that the IP address must wait before it may fail again; 0 for no wait. */
      wait: (address: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const { count, since } = current(address, now)
          return count < limit ? 0 : Math.max(1, Math.ceil((since + windowMillis - now) / 1000))
        }),
      note,
      /** Remembers a good key of the account. */
      welcome: (hash: string, account: string) => {
        if (good.has(hash)) return
        good.set(hash, account)
        forgetOldest(good)
      },
      /**
       * Looks a key up: a good key in the turns of its account, any other key in the turns of its IP address. When the caller leaves before the response, the
       * look-up of any other key counts as a failure. Otherwise an address that never waits for responses could guess without a limit.
       */
      lookUp: <A, E, R>(address: () => string, hash: string, look: (owner: string) => Effect.Effect<A, E, R>) => {
        const account = good.get(hash)
        if (account !== undefined) return look(account)
        return Effect.flatMap(Clock.currentTimeMillis, (now) => {
          // Once a connection is closed, its address is unknown.
          const from = address()
          const looked = current(from, now).count < limit ? look(from) : Effect.zipRight(turnOf(from), look(from))
          return Effect.onInterrupt(looked, () => note(from))
        })
      },
      limit
    }
  }
}) {}
