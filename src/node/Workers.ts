import * as Layer from "effect/Layer"
import * as AuditsRetention from "../audits/Retention.ts"
import * as AuditsWorker from "../audits/schedule/Worker.ts"
import * as RemovalWorker from "../projects/Removal.ts"
import * as RetentionWorker from "../rankings/retention/Worker.ts"
import * as RankingsWorker from "../rankings/sync/Worker.ts"
import * as UploadsRetention from "../rankings/uploads/Retention.ts"
import * as UploadsWorker from "../rankings/uploads/Worker.ts"
import * as SiteHealthRetention from "../sitehealth/Retention.ts"
import * as SiteHealthSchedulesWorker from "../sitehealth/schedules/Worker.ts"
import * as SiteHealthWorker from "../sitehealth/Worker.ts"
import * as WebhooksWorker from "../webhooks/deliveries/Worker.ts"

/** Everything a node does besides answering requests. */
export const layer = Layer.mergeAll(
  AuditsRetention.layer,
  AuditsWorker.layer,
  RankingsWorker.layer,
  RemovalWorker.layer,
  RetentionWorker.layer,
  UploadsRetention.layer,
  UploadsWorker.layer,
  SiteHealthRetention.layer,
  SiteHealthWorker.layer,
  SiteHealthSchedulesWorker.layer,
  WebhooksWorker.layer
)
