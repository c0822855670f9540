import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import {
  about,
  BodyLimit,
  BodyLists,
  BodyValues,
  body,
  Data,
  described,
  exportableList,
  inPath,
  Page,
  read
} from "../../../foundation/http/Contract.ts"
import { ExperimentsRead, ExperimentsWrite } from "../../accounts/Authorized.ts"
import { Experiment, ExperimentId } from "../Domain.ts"
import { DesignPower, DesignPreview } from "../statistics/design/DesignedAnalysis.ts"
import { Assign, bytesOfPages, noArms, SeriesDay, undecided, valuesOfPages } from "./Design.ts"

const OfExperiment = Schema.Struct({ id: inPath(ExperimentId) })

/** Experiments with a design: their arms, their power, and interim results. */
export class ExperimentDesignsApi extends HttpApiGroup.make("experiment-designs")
  .annotateContext(
    about("Random assignment, statistical power, days and interim results of experiments with a design.")
  )
  .add(
    HttpApiEndpoint.post("assign", "/experiments/:id/assign")
      .annotateContext(
        described(
          "Randomly assign pages",
          "Randomly assigns pages to test and control in a draft with a design, which makes p-values reliable. Findable sorts pages with a click in the baseline by clicks, pairs them, and picks the test page of each pair by a hash of seed and path. Each call is a new assignment and is counted."
        )
      )
      .setPath(OfExperiment)
      .annotate(BodyLimit, bytesOfPages)
      .annotate(BodyValues, valuesOfPages)
      .annotate(BodyLists, ["pages"])
      .setPayload(body(Assign))
      .addSuccess(Data(Experiment))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .addError(noArms)
      .middleware(ExperimentsWrite)
  )
  .add(
    read("power", "/experiments/:id/power", {
      summary: "Get the statistical power of a design",
      description:
        "The minimum detectable effect (80% power) for each length of the measurement period, from past data of the same pages. Check it before the change: if the effect you expect is smaller, choose more pages or more days.",
      ids: OfExperiment,
      of: DesignPower,
      scope: ExperimentsRead
    })
      .addError(failure("conflict"))
      .addError(failure("validation_error"))
      .addError(undecided)
  )
  .add(
    read("preview", "/experiments/:id/preview", {
      summary: "Get the interim result of an experiment",
      description:
        "The interim result for the whole weeks since the change, with p-value and interval corrected for weekly checks. Use it to stop harm, not to end an experiment early. Returns 409 `not_over` before the first week is final.",
      ids: OfExperiment,
      of: DesignPreview,
      scope: ExperimentsRead
    })
      .addError(failure("conflict", "not_over"))
      .addError(undecided)
  )
  .add(
    exportableList("series", "/experiments/:id/series", {
      summary: "List days of an experiment",
      description:
        "Clicks, impressions and CTR of all test pages and of all control pages by day, in date order: from the first day of the baseline to the last final day of the measurement. Days without imported page totals are absent. For a draft without a change date, the days before the next change.",
      page: Page(SeriesDay),
      scope: ExperimentsRead
    })
      .setPath(OfExperiment)
      .addError(failure("conflict"))
      .addError(noArms)
  )
  .prefix("/api/v1") {}
