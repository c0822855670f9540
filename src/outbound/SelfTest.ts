import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Cidr } from "./address/Cidr.ts"
import type { Fault } from "./Fault.ts"
import type { OutboundError } from "./OutboundError.ts"
import { make } from "./OutboundLive.ts"
import * as LoopbackListener from "./socket/LoopbackListener.ts"

/** The guard does not hold on this machine or runtime: nothing may be asked of anybody. `message` is one sentence for the operator. */
export class OutboundUnfit extends Data.TaggedError("OutboundUnfit")<{ readonly message: string }> {}

const unfit = (what: string) => new OutboundUnfit({ message: `The outbound guard does not hold here: ${what}` })

/** A name that no name service knows (RFC 6761 §6.4). */
const name = "findable-self-test.invalid"

const loopback: Cidr = { network: [127, 0, 0, 0], prefix: 8 }

const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Line: 1\r\nX-Line: 2\r\n\r\nproof"

const ask = (port: number, allowed: ReadonlyArray<Cidr>) =>
  make({ resolver: { addresses: () => Effect.succeed(["127.0.0.1"]) }, allowed, authorities: [] }).exchange({
    url: new URL(`http://${name}:${port}/self-test`),
    method: "GET",
    deadline: "2 seconds",
    keepBytes: 16,
    maxBytes: 16,
    decode: false
  })

const isDirect = (heard: string, port: number) =>
  heard.startsWith("GET /self-test HTTP/1.1\r\n") && heard.includes(`\r\nHost: ${name}:${port}\r\n`)

const unanswered = (error: OutboundError) => unfit(`an address that was judged could not be asked (${error.message})`)

const unheard = ({ message }: Fault) => unfit(`127.0.0.1 cannot be listened on (${message})`)

/**
 * Proves, over a real socket and without a network, that an exchange goes to the address that was judged and to no other: a name that leads nowhere is
 * given a loopback address, and must be heard there directly, past any proxy that the environment names; without permission it must be refused, unheard.
 */
export const selfTest: Effect.Effect<void, OutboundUnfit> = Effect.gen(function* () {
  const { port, heard } = yield* Effect.mapError(LoopbackListener.listen(answer), unheard)

  const reached = yield* Effect.mapError(ask(port, [loopback]), unanswered)
  const [request = ""] = heard
  if (!isDirect(request, port))
    return yield* unfit("the address that was judged did not get the request as it was made")
  if (reached.remoteAddress !== "127.0.0.1" || new TextDecoder().decode(reached.body) !== "proof") {
    return yield* unfit("the answer did not come from the address that was judged")
  }

  const refused = yield* Effect.flip(ask(port, [])).pipe(Effect.mapError(() => unfit("a private address was asked")))
  if (refused.reason !== "blocked_address" || heard.length !== 1) return yield* unfit("a private address was dialled")
}).pipe(Effect.scoped, Effect.withSpan("Outbound.selfTest"))
