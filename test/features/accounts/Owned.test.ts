import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AccountId } from "../../../src/features/accounts/Domain.ts"
import { Owned, OwnedId } from "../../../src/features/accounts/Owned.ts"
import type { AuditsRepo } from "../../../src/features/audits/Audits.ts"
import { AuditId } from "../../../src/features/audits/Domain.ts"
import { ExperimentId } from "../../../src/features/experiments/Domain.ts"
import type { ExperimentsRepo } from "../../../src/features/experiments/ExperimentsRepo.ts"
import { ProjectId } from "../../../src/features/projects/Domain.ts"
import type { KeywordsRepo } from "../../../src/features/rankings/keywords/KeywordsRepo.ts"
import type { RunsRepo } from "../../../src/features/sitehealth/Runs.ts"
import { WebhookId } from "../../../src/features/webhooks/Domain.ts"
import type { ListsRepo } from "../../../src/features/webhooks/deliveries/Deliveries.ts"
import { it } from "../../harness.ts"
import { ownedBy } from "../../owned.ts"
import { unfiltered } from "../webhooks/pipeline.ts"

const uuid = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11"
const account = AccountId.make(uuid)
const project = ProjectId.make(uuid)
const webhook = WebhookId.make(`wh_${"0".repeat(26)}`)

/** Lists of things that belong to somebody: never called, only typed. Each marked line must not compile. */
export const typed = (
  runs: RunsRepo,
  deliveries: ListsRepo,
  keywords: KeywordsRepo,
  audits: AuditsRepo,
  experiments: ExperimentsRepo
) => {
  const batch = { after: undefined, count: 1 }
  const log = { ...batch, ...unfiltered }
  const whole = { filters: {}, folded: null, most: null, order: "desc", sort: "clicks" } as const
  const page = { account, after: null, count: 1, ...whole }
  // @ts-expect-error: an id is no proof
  const unproven = [runs.list({ ...batch, project, status: undefined }), runs.latest({ project })]
  // @ts-expect-error: an id is no proof
  const unprovenLog = deliveries.ofWebhook({ ...log, webhook })
  // @ts-expect-error: an id is no proof
  const unprovenSite = keywords.list({ ...page, site: project })
  // @ts-expect-error: an audit is looked up for an account
  const anyAudit = audits.find({ id: AuditId.make(uuid) })
  // @ts-expect-error: an experiment is looked up for an account
  const anyExperiment = experiments.find({ id: ExperimentId.make(uuid) })
  // @ts-expect-error: the proof of another kind of thing does not count
  const other = deliveries.ofWebhook({ ...log, webhook: ownedBy(account, project) })
  // @ts-expect-error: a proof cannot be constructed
  const forged = new Owned(account, { id: project })
  const proven = [
    runs.list({ ...batch, project: ownedBy(account, project), status: undefined }),
    deliveries.ofWebhook({ ...log, webhook: ownedBy(account, webhook) }),
    keywords.list({ ...page, site: ownedBy(account, project) })
  ]
  return [unproven, unprovenLog, unprovenSite, anyAudit, anyExperiment, other, forged, proven]
}

it("a thing of another account is not found", function* () {
  const own = Owned.by(() => Effect.succeed(Option.none<{ readonly id: ProjectId }>()), "site")
  expect(yield* Effect.flip(own(account, project))).toMatchObject({
    _tag: "NotFound",
    message: "No site found with this id. Check the id, and the account that it belongs to"
  })
})

test("a statement takes the id of an owned thing, and no input can become one", () => {
  const schema = OwnedId(ProjectId)
  expect(Schema.encodeSync(schema)(ownedBy(account, project))).toBe(project)
  expect(() => Schema.decodeSync(schema)(project)).toThrow("prove")
})
