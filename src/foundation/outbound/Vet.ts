import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Cidr, openingOf, openingOfKind, parse, refusal } from "./Address.ts"
import { Fault, type Host } from "./Outbound.ts"

/**
 * Platform adapter: the system's name service through `Bun.dns`.
 *
 * The adapter chooses the c-ares backend, which also reads the hosts file and the search domains, but waits on the event loop. The default of `node:dns` blocks
 * worker threads, one per core, which `node:zlib` needs too. Measured with a silent name server on two cores: two look-ups delayed all others and every
 * decompression by 10 to 30 s; with c-ares nothing was delayed.
 */

/** The name has no address, or the look-up failed; `message` is one sentence. */
export class ResolveFailed extends Data.TaggedError("ResolveFailed")<{ readonly message: string }> {}

/** Looks names up. A service, because tests change the addresses between look-ups. */
export class Resolver extends Context.Tag("outbound/Resolver")<
  Resolver,
  {
    /** All addresses (A and AAAA) of a name, in the order of preference. */
    readonly addresses: (name: string) => Effect.Effect<ReadonlyArray<string>, ResolveFailed>
  }
>() {}

/** The resolver of this machine. */
export const layer = Layer.succeed(Resolver, {
  addresses: (name) =>
    Effect.tryPromise({
      try: () => Bun.dns.lookup(name, { backend: "c-ares" }),
      catch: () => new ResolveFailed({ message: `DNS lookup found no address for ${name}` })
    }).pipe(Effect.map((answers) => answers.map((answer) => answer.address)))
})

/**
 * The host and port of a typed URL, which may be private during the command. Only the addresses of the first look-up are open: with other addresses later, the
 * name is checked like any other, so a changed response leads nowhere else.
 */
interface TypedHost {
  /** The addresses among `answers` that are open because a person typed the host. */
  readonly opened: (host: Host, answers: ReadonlyArray<string>) => ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

/** The exception for one host and port. */
export const make = (typed: Host): TypedHost => {
  let first: ReadonlySet<string> | undefined
  return {
    opened: ({ name, port }, answers) => {
      if (name !== typed.name || port !== typed.port) return none
      first ??= new Set(answers)
      return first
    }
  }
}

/** The settings for checks of hosts. */
export interface Guard {
  readonly resolver: Context.Tag.Service<Resolver>
  /** Ranges that are not global but open. */
  readonly allowed: ReadonlyArray<Cidr>
  /** The host that a person typed at the command line of this machine. */
  readonly typed?: TypedHost
}

/** A name without a response after this time counts as a name without an address. */
const lookupBound = "5 seconds"

const lookUp = (name: string, resolver: Context.Tag.Service<Resolver>) =>
  resolver.addresses(name).pipe(
    Effect.mapError(({ message }) => new Fault({ reason: "dns", message })),
    Effect.timeoutFail({
      duration: lookupBound,
      onTimeout: () => new Fault({ reason: "dns", message: `DNS lookup of ${name} took more than ${lookupBound}` })
    })
  )

const kindOf = (answer: string, allowed: ReadonlyArray<Cidr>): Option.Option<string> =>
  Option.match(parse(answer), {
    onNone: () => Option.some("unknown"),
    onSome: (address) => refusal(address, allowed)
  })

/**
 * The refusal of a host. Only the administrator of this machine learns the addresses of a name; other callers learn their kind, and the setting that opens the
 * kind.
 */
const refused = (name: string, kind: string, answers: ReadonlyArray<string>, isOperator: boolean) => {
  const isLiteral = answers[0] === name
  const what = isLiteral ? "is not a public IP address" : "resolves to an IP address that is not public"
  const addresses = answers.flatMap((answer) => Option.toArray(parse(answer)))
  const opening = isLiteral || isOperator ? openingOf(addresses) : openingOfKind(kind)
  return new Fault({ reason: "blocked_address", message: `${name} ${what} (${kind}); ${opening}` })
}

/** The addresses of a host, by one look-up, or the literal itself. The whole host is refused unless all addresses may be dialled. */
export const vet = Effect.fnUntraced(function* (host: Host, { allowed, resolver, typed }: Guard) {
  const { name } = host
  const answers = Option.isSome(parse(name)) ? [name] : yield* lookUp(name, resolver)
  const opened = typed?.opened(host, answers)
  const bad = answers.flatMap((answer) =>
    opened?.has(answer) === true
      ? []
      : Option.toArray(Option.map(kindOf(answer, allowed), (kind) => ({ answer, kind })))
  )
  const [worst] = bad
  if (worst !== undefined) {
    return yield* refused(
      name,
      worst.kind,
      bad.map(({ answer }) => answer),
      typed !== undefined
    )
  }
  const [first, ...others] = answers
  if (first === undefined) return yield* new Fault({ reason: "dns", message: `${name} has no IP address` })
  return [first, ...others] as const
})
