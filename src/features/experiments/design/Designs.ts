import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Day from "../../../foundation/schema/Day.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import { unhurried } from "../../../foundation/schema/Steps.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import * as Entropy from "../../../foundation/secrets/Entropy.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { today } from "../../rankings/Site.ts"
import type { ExperimentId } from "../Domain.ts"
import { domainName } from "../GrowthProjectsApi.ts"
import { assigning, foreseeing } from "../statistics/design/Design.ts"
import {
  Arms,
  type DesignRow,
  DesignSites,
  DesignsRepo,
  invalid,
  isRandomised,
  leastPages,
  meanwhile,
  noDesign,
  refusal,
  started,
  tooFewPages
} from "./Arms.ts"
import { type Assign, Design, type DesignPatch, type StoredDesign } from "./Design.ts"
import { Panels, withoutData } from "./Verdicts.ts"

const readDesign = Schema.decodeUnknown(Design)

/** Fields that decide the pages of the arms: changing one discards the assignment. */
const ofArms = ["site_id", "treatment", "control", "exclude"] as const

const late = "The pages were assigned after the change, so they count as chosen, not random. "
const byForce = '; or send {"force": true} to start the experiment all the same'

/** The design with the changes of a patch; null removes a field. */
const patched = (design: StoredDesign | null, patch: DesignPatch) => {
  const fields = Object.entries({ ...design, ...patch }).filter(([, value]) => value !== null)
  return Effect.mapError(readDesign(Object.fromEntries(fields)), (error) => {
    const [problem] = ParseResult.ArrayFormatter.formatErrorSync(error)
    return invalid(["design", ...(problem?.path ?? [])].map(String).join("."), problem?.message ?? "is invalid")
  })
}

/** Designs of experiments before their start. */
export class Designs extends Effect.Service<Designs>()("experiments/design/Designs", {
  dependencies: [
    Arms.Default,
    DesignSites.Default,
    DesignsRepo.Default,
    Entropy.layer,
    Panels.Default,
    Projects.Default
  ],
  effect: Effect.gen(function* () {
    const arms = yield* Arms
    const panels = yield* Panels
    const entropy = yield* Entropy.Entropy
    const projects = yield* Projects
    const repo = yield* DesignsRepo
    const sites = yield* DesignSites

    const found = (account: AccountId, id: ExperimentId) =>
      Effect.mapError(Effect.flatten(repo.find({ account, id })), () => NotFound.of("experiment"))

    /** Fails unless the site is the account's and on the domain of the growth project. */
    const onDomain = Effect.fnUntraced(function* (account: AccountId, { site_id }: StoredDesign, domain: string) {
      const { host } = yield* projects.get(account, site_id)
      if (Option.getOrUndefined(domainName(host)) === domain) return
      return yield* invalid(
        "design.site_id",
        `is a site on ${host}, but the experiment's domain is ${domain}. Choose a site on ${domain}`
      )
    })

    const written = <A>(row: Effect.Effect<Option.Option<A>>) => Effect.mapError(Effect.flatten(row), () => meanwhile)

    const draft = (row: DesignRow) => (row.status === "draft" ? Effect.void : started)

    /** Gives a draft a design. */
    const set = Effect.fnUntraced(function* (account: AccountId, id: ExperimentId, design: StoredDesign) {
      const row = yield* found(account, id)
      yield* onDomain(account, design, row.domain)
      return yield* written(repo.write({ ...row, account, design, keeps: false }))
    })

    /** Changes the design of a draft; null removes it. */
    const change = Traced.fn("Designs.change")(function* (
      account: AccountId,
      id: ExperimentId,
      patch: DesignPatch | null
    ) {
      const row = yield* found(account, id)
      yield* draft(row)
      if (patch === null) return yield* written(repo.write({ ...row, account, design: null, keeps: false }))
      const design = yield* patched(row.design, patch)
      yield* onDomain(account, design, row.domain)
      const keeps = !ofArms.some((name) => patch[name] !== undefined)
      return yield* written(repo.write({ ...row, account, design, keeps }))
    })

    /** Starts a draft: fixes its pages, and sets its change to today unless the design has a date. Only `force` starts a design that cannot give a result. */
    const start = Traced.fn("Designs.start")(function* (account: AccountId, id: ExperimentId, force: boolean) {
      const row = yield* found(account, id)
      yield* draft(row)
      if (row.design === null) return yield* noDesign
      const now = yield* today
      const change = row.design.change_date === undefined ? now : Day.of(row.design.change_date)
      if (change > now)
        return yield* invalid(
          "design.change_date",
          `is in the future. Start the experiment on that day, or choose a day up to ${Day.format(now)}`
        )
      const { site } = yield* sites.of(account, row.design)
      if (change < site.first)
        return yield* invalid(
          "design.change_date",
          `is before ${Day.format(site.first)}, the first day with page data. Import older days, or choose a later day`
        )
      const { few, pages, unknown } = yield* arms.resolve({ account, change, design: row.design, id, site })
      const assigned = isRandomised(row.assignment, change)
      const { design: asked, panel } = yield* panels.read({ assigned, change, design: row.design, pages, site })
      const faults = few.length > 0 ? [] : yield* unhurried(foreseeing(panel, asked, leastPages, site.newest))
      const isLate = row.assignment !== null && !assigned
      const told = faults.map((fault) =>
        isLate && fault.code === "history_too_short" ? { ...fault, message: `${late}${fault.message}` } : fault
      )
      if (!force) {
        if (few.length > 0) return yield* tooFewPages(`${few.join(". ")}${byForce}`)
        const all = told.map(({ message }) => message).join(". ")
        if (told[0] !== undefined) return yield* refusal({ ...told[0], message: `${all}${byForce}` })
      }
      const design = { ...row.design, change_date: Day.format(change) }
      const warnings = [
        ...(unknown.length === 0 ? [] : [withoutData(unknown)]),
        ...[...few, ...told.map(({ message }) => message)].map((message) => `${message}.`)
      ]
      return yield* written(repo.freeze({ ...row, account, design, pages, warnings }))
    })

    /** Randomly assigns pages to both arms of a draft, in pairs with similar clicks. */
    const assign = Traced.fn("Designs.assign")(function* (account: AccountId, id: ExperimentId, asked: Assign) {
      const row = yield* found(account, id)
      yield* draft(row)
      if (row.design === null) return yield* noDesign
      const { site } = yield* sites.of(account, row.design)
      const change = row.design.change_date === undefined ? site.newest + 1 : Day.of(row.design.change_date)
      const candidates = yield* arms.candidates({ account, change, design: row.design, id, site }, asked)
      const seed = asked.seed ?? Entropy.digits(yield* entropy.bytes(26))
      const { control, treatment } = yield* unhurried(assigning(candidates, seed))
      const design = { ...row.design, control: { pages: control }, treatment: { pages: treatment } }
      return yield* written(repo.assign({ ...row, account, design, draws: (row.assignment?.draws ?? 0) + 1, seed }))
    })

    const isDesigned = (account: AccountId, id: ExperimentId) =>
      Effect.mapBoth(Effect.flatten(repo.isDesigned({ account, id })), {
        onFailure: () => NotFound.of("experiment"),
        onSuccess: ({ designed }) => designed
      })

    return { assign, change, isDesigned, set, start }
  })
}) {}
