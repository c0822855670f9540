import * as Layer from "effect/Layer"
import * as RateLimits from "../../features/accounts/RateLimitRepo.ts"
import * as ConsoleSessions from "../../features/accounts/sessions/Sessions.ts"
import * as AuditsRetention from "../../features/audits/Retention.ts"
import * as AuditsWorker from "../../features/audits/schedule/Worker.ts"
import * as InspectionsWorker from "../../features/inspections/Worker.ts"
import * as BacklinkImportsWorker from "../../features/observations/backlinks/imports/Worker.ts"
import * as BacklinkChecksWorker from "../../features/observations/backlinks/liveness/Worker.ts"
import * as InterventionsWorker from "../../features/observations/interventions/Worker.ts"
import * as GeoRetention from "../../features/observations/visibility/runs/Retention.ts"
import * as GeoRunsWorker from "../../features/observations/visibility/runs/Worker.ts"
import * as GeoSchedulesWorker from "../../features/observations/visibility/schedules/Worker.ts"
import * as RemovalWorker from "../../features/projects/Removal.ts"
import * as OpportunitiesWorker from "../../features/rankings/opportunities/Worker.ts"
import * as RankingsRetention from "../../features/rankings/retention/Retention.ts"
import * as RankingsWorker from "../../features/rankings/sync/Worker.ts"
import * as UploadsRetention from "../../features/rankings/uploads/Retention.ts"
import * as UploadsWorker from "../../features/rankings/uploads/Worker.ts"
import * as SiteHealthRetention from "../../features/sitehealth/Retention.ts"
import * as SiteHealthSchedulesWorker from "../../features/sitehealth/schedules/Worker.ts"
import * as SiteHealthWorker from "../../features/sitehealth/Worker.ts"
import * as EventsRetention from "../../features/webhooks/deliveries/Retention.ts"
import * as WebhooksWorker from "../../features/webhooks/deliveries/Worker.ts"

const ofSiteHealth = Layer.mergeAll(
  RemovalWorker.layer,
  SiteHealthRetention.layer,
  SiteHealthWorker.layer,
  SiteHealthSchedulesWorker.layer
)

/** All work of a node besides answering requests. */
export const layer = Layer.mergeAll(
  ofSiteHealth,
  AuditsRetention.layer,
  AuditsWorker.layer,
  BacklinkChecksWorker.layer,
  BacklinkImportsWorker.layer,
  ConsoleSessions.layer,
  GeoRetention.layer,
  GeoRunsWorker.layer,
  GeoSchedulesWorker.layer,
  InspectionsWorker.layer,
  InterventionsWorker.layer,
  OpportunitiesWorker.layer,
  RateLimits.layer,
  RankingsWorker.layer,
  RankingsRetention.layer,
  UploadsRetention.layer,
  UploadsWorker.layer,
  WebhooksWorker.layer
)

/** The work of site health alone: runs and their schedules, removal of sites, and removal of old runs and old events. */
export const siteHealth = Layer.merge(ofSiteHealth, EventsRetention.layer)
