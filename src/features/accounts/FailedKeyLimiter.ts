import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Address from "../../foundation/outbound/Address.ts"
import { turnOf } from "../../foundation/process/Turns.ts"

/** The operator's own proxies: only they are trusted to name a caller's address. */
export const TrustedProxies = Address.networks("FINDABLE_TRUSTED_PROXIES").pipe(
  Config.withDescription(
    "Networks of your reverse proxies, as comma-separated CIDRs. Findable trusts their `X-Forwarded-For`"
  )
)

/** An entry of `X-Forwarded-For`: an address, which some proxies write with a port or in brackets. */
const entry = (text: string) =>
  Address.parse(/^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text)

/** IPv4 addresses that were mapped into IPv6 are IPv4 addresses. */
const plain = (address: Address.Address) => (Address.isMapped(address) ? address.slice(12) : address)

/** The name under which an address is counted: the /64 network of an IPv6 address, since a customer has at least that many addresses (RFC 6177). */
const holder = (address: Address.Address) =>
  address.length === 4 ? address.join(".") : `${Buffer.from(address.slice(0, 8)).toString("hex")}/64`

/**
 * The client of a connection: its peer or, while that is a trusted proxy, the address that the proxy names. The list is read from the right, in the
 * order in which the proxies wrote it; entries left of the first untrusted address are only that client's claims.
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

/** The same for requests of this server, with the proxies that are configured. */
export const make = Effect.map(
  TrustedProxies,
  (trusted) => (request: HttpServerRequest.HttpServerRequest) =>
    clientOf(trusted, request.remoteAddress, request.headers["x-forwarded-for"])
)

/** Failed authentications that one address may cause in a window before it has to wait. */
const limit = 1200
const windowMillis = 60_000
/** Addresses remembered at once, and keys that were good; the oldest is forgotten first. */
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
 * Bounds what requests without a usable key cost, by address and node: after 1,200 failures in a minute the address is answered without a look-up
 * until the minute is over. A usable key is never refused because of other requests from its address: well-formed keys are still looked up, one in a
 * turn of the event loop then, and keys that were good before do not wait for these.
 */
export class FailedKeyLimiter extends Effect.Service<FailedKeyLimiter>()("accounts/FailedKeyLimiter", {
  sync: () => {
    const failures = new Map<string, Failures>()
    /** The account of each. */
    const good = new Map<string, string>()
    const current = (from: string, now: number): Failures => {
      const known = failures.get(from)
      return known !== undefined && now >= known.since && now - known.since < windowMillis
        ? known
        : { count: 0, since: now }
    }
    /** Notes one more failure of the address. */
    const note = (address: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { count, since } = current(address, now)
        failures.delete(address)
        failures.set(address, { count: count + 1, since })
        forgetOldest(failures)
      })
    return {
      /** Seconds that the address has to wait before it may fail again; 0 when it need not wait. */
      wait: (address: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const { count, since } = current(address, now)
          return count < limit ? 0 : Math.max(1, Math.ceil((since + windowMillis - now) / 1000))
        }),
      note,
      /** Notes that a key of the account was good. */
      welcome: (hash: string, account: string) => {
        if (good.has(hash)) return
        good.set(hash, account)
        forgetOldest(good)
      },
      /**
       * Looks a key up, in the turns of its account where it was good before, else in those of the address. A look-up whose caller leaves before the answer
       * counts as a failure unless its key was good before: otherwise an address that never waits for answers could guess without a limit.
       */
      lookUp: <A, E, R>(address: () => string, hash: string, look: (owner: string) => Effect.Effect<A, E, R>) => {
        const account = good.get(hash)
        if (account !== undefined) return look(account)
        return Effect.flatMap(Clock.currentTimeMillis, (now) => {
          // The address of a connection is unknown once it is closed.
          const from = address()
          const looked = current(from, now).count < limit ? look(from) : Effect.zipRight(turnOf(from), look(from))
          return Effect.onInterrupt(looked, () => note(from))
        })
      },
      limit
    }
  }
}) {}
