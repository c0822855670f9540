import * as Schema from "effect/Schema"
import { Uuid } from "../../foundation/schema/Scalars.ts"

/** An account: the tenant that owns projects, keys and everything below them. */
export const AccountId = Uuid.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const KeyId = Uuid.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/** Plan tiers; their limits per hour, at once and per run are in the table `plans`. */
export const Plan = Schema.Literal("free", "starter", "growth_pro", "agency_team")
export type Plan = typeof Plan.Type

/** Projects that an account of each plan may make over the API; those that are there beyond it stay. */
export const projectsAtMost: Readonly<Record<Plan, number>> = {
  free: 5,
  starter: 25,
  growth_pro: 100,
  agency_team: 1000
}

/** What each scope grants. The README's table is made from this. */
export const scopes = {
  "projects:read": "list and read projects",
  "projects:write": "create, change and delete projects",
  "keywords:read": "read keyword rankings (through `*` only)",
  "rankings:write": "import search data",
  "audits:read": "read audits, fix directives and audit schedules",
  "audits:write": "ask for audits, and schedule them",
  "experiments:read": "read experiments and growth projects (through `*` only)",
  "experiments:write": "create growth projects; create, start and evaluate experiments (through `*` only)",
  "site-health:read": "read site health runs, results and schedules",
  "site-health:write": "start, schedule and cancel site health runs; never part of `*`, always named",
  "geo:read": "read generative-engine visibility",
  "backlinks:read": "read referring domains",
  "webhooks:manage": "manage webhook subscriptions"
} as const

/** A single permission of a key. */
export type Scope = keyof typeof scopes

const ofAll = "*"
const throughAllOnly: ReadonlySet<string> = new Set(["keywords:read", "experiments:read", "experiments:write"])

/** Whether a new key may be given this scope by name. */
export const isChoosable = (scope: string): boolean =>
  scope === ofAll || (Object.hasOwn(scopes, scope) && !throughAllOnly.has(scope))

/** Whether a key with these scopes may do what `needed` grants: `*` grants all but `site-health:write`, which must be named. */
export const grants = (held: ReadonlyArray<string>, needed: Scope): boolean =>
  held.includes(needed) || (held.includes(ofAll) && needed !== "site-health:write")

/** An account as the operator sees it. */
export const Account = Schema.Struct({ id: AccountId, name: Schema.String, plan: Plan, created_at: Schema.String })
export type Account = typeof Account.Type

/** A key as the operator sees it: never the key itself, which only its holder has. */
export const Key = Schema.Struct({
  id: KeyId,
  account_id: Schema.NullOr(AccountId),
  display: Schema.String,
  mode: Schema.Literal("live", "test"),
  scopes: Schema.Array(Schema.String),
  created_at: Schema.String,
  last_used_at: Schema.NullOr(Schema.String),
  revoked_at: Schema.NullOr(Schema.String)
})
export type Key = typeof Key.Type

/** A key as its holder sees it, with what its account's plan allows. */
export const OwnKey = Schema.Struct({
  id: KeyId,
  display: Schema.String.annotations({ description: "prefix and last four characters" }),
  mode: Schema.Literal("live", "test"),
  scopes: Schema.Array(Schema.String),
  plan: Plan,
  limits: Schema.Struct({
    requests_per_minute: Schema.Int,
    requests_per_second: Schema.Int,
    runs_per_hour: Schema.Int,
    runs_at_once: Schema.Int,
    pages_per_run: Schema.Int,
    projects: Schema.Int
  }),
  created_at: Schema.String,
  last_used_at: Schema.NullOr(Schema.String).annotations({ description: "to the minute" })
}).annotations({ identifier: "ApiKey" })
export type OwnKey = typeof OwnKey.Type
