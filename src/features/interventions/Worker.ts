import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Lease from "../../foundation/database/Lease.ts"
import { Events } from "../events/Events.ts"
import { interventionDeployed, interventionRolledBack } from "./Events.ts"
import * as GitHub from "./GitHub.ts"
import { GitHubTurn } from "./GitHubTurn.ts"
import { again, type Claim, made, QueueRepo, type Turn, Verification } from "./Queue.ts"
import { WordPressTurn } from "./WordPressTurn.ts"

/** Concurrent changes of a process, because they mostly wait for the other side. */
const atOnce = 4

/** Wait after dead workers, or after a fault of the server. */
const later = "10 minutes"

const fault = "Server error: the server's log has the cause"

/** The end of a turn: its result, or a fault that must not change the intervention. */
type End = Turn | { readonly fault: string }

/** Whether the change has something to send, or a sent write to check. */
const isOpen = ({ sent, status }: Claim) =>
  status === "proposed" || status === "rolling_back" || (status === "conflict" && sent.length > 0)

const working = Effect.gen(function* () {
  const events = yield* Events
  const github = yield* GitHubTurn
  const { queue, save } = yield* QueueRepo
  const verification = yield* Verification
  const wordpress = yield* WordPressTurn

  const work = (claim: Claim): Effect.Effect<End, Lease.LeaseLost> => {
    const isLooked = claim.status === "merged" || claim.status === "not_verified"
    if (claim.wordpress !== null && (isOpen(claim) || isLooked)) return wordpress.turn(claim, claim.wordpress)
    if (claim.github !== null && isOpen(claim)) return github.turn(claim, claim.github)
    if (claim.github !== null && isLooked) return verification.turn(claim)
    return Effect.succeed(made(claim, { error: claim.error }))
  }

  /** Stores the change with its crawl and its events, in one transaction. */
  const store = Effect.fnUntraced(function* (claim: Claim, end: End) {
    const turn = "fault" in end ? yield* again(claim, later, { error: end.fault }) : end
    const { starts: _, ...left } = turn.starts ? yield* verification.start(claim) : turn
    const { account, asked, id, lease } = claim
    const { deployedAt, rolledBackAt } = yield* save({ ...left, asked, id, lease })
    const data = {
      connector: claim.connector,
      id,
      project_id: claim.project,
      summary: claim.summary,
      url: claim.url,
      ...(left.verifiedBy === null ? {} : { verified_by_run_id: left.verifiedBy })
    }
    if (left.status === "deployed" && claim.deployedAt === null && deployedAt !== null)
      yield* events.publish(account, interventionDeployed, { ...data, deployed_at: deployedAt }, { occurrence: id })
    if (left.status === "rolled_back" && rolledBackAt !== null)
      yield* events.publish(
        account,
        interventionRolledBack,
        { ...data, deployed_at: deployedAt, reason: claim.reason, rolled_back_at: rolledBackAt },
        { occurrence: id }
      )
  })

  yield* Lease.worker({
    atOnce,
    broken: (): End => ({ fault }),
    lost: (): End => ({ fault: "The change stopped unexpectedly several times in a row. See the server's log" }),
    name: "intervention",
    outcome: (end) => ("fault" in end ? "broken" : end.status),
    queue,
    store,
    work
  })
})

/** The worker over a given GitHub. */
const layerNoDeps = Layer.scopedDiscard(working).pipe(
  Layer.provide([Events.Default, GitHubTurn.Default, QueueRepo.Default, Verification.Default, WordPressTurn.Default])
)

/** Proposes and writes changes, follows, verifies and rolls them back, until its scope ends. */
export const layer = layerNoDeps.pipe(Layer.provide(GitHub.layer))
