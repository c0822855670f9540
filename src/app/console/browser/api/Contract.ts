import type * as Diffs from "../../../../crawl/diff/CrawlDiff.ts"
import type * as Results from "../../../../crawl/report/CrawlResult.ts"
import type * as Findings from "../../../../crawl/report/Finding.ts"
import type * as Accounts from "../../../../features/accounts/Domain.ts"
import type * as Projects from "../../../../features/projects/Domain.ts"
import type * as Included from "../../../../features/projects/Included.ts"
import type * as Runs from "../../../../features/sitehealth/Domain.ts"
import type * as Histories from "../../../../features/sitehealth/HistoryPoint.ts"
import type * as Schedules from "../../../../features/sitehealth/schedules/Schedule.ts"

// The contract's own types, as its JSON is sent: `Encoded` of each schema.

export type OwnKey = typeof Accounts.OwnKey.Encoded
export type Project = typeof Projects.Project.Encoded
export type Health = typeof Included.Health.Encoded
export type ListedProject = typeof Included.ListedProject.Encoded
export type Run = typeof Runs.Run.Encoded
export type RunWithResult = typeof Runs.RunWithResult.Encoded
export type HistoryPoint = typeof Histories.HistoryPoint.Encoded
export type Schedule = typeof Schedules.SiteHealthSchedule.Encoded
export type Result = typeof Results.CrawlResult.Encoded
export type Verification = typeof Results.Verification.Encoded
export type Finding = typeof Findings.Finding.Encoded
export type Fix = typeof Runs.FixDirective.Encoded
export type Diff = typeof Diffs.CrawlDiff.Encoded & { readonly run: string; readonly against: string }

/** A rule of the crawl, in words. */
export interface Rule {
  readonly rule: string
  readonly title: string
  readonly means: string
  readonly fix: string
  readonly source: string
}

/** What a code is exchanged for. */
export interface ConsoleSession {
  readonly key: string
  readonly expires_at: string
  readonly scopes: ReadonlyArray<string>
}
