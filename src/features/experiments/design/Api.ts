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
  inPath,
  read
} from "../../../foundation/http/Contract.ts"
import { ExperimentsRead, ExperimentsWrite } from "../../accounts/Authorized.ts"
import { Experiment, ExperimentId } from "../Domain.ts"
import { DesignPower, DesignPreview } from "../statistics/design/DesignedAnalysis.ts"
import { Assign, bytesOfPages, noArms, undecided, valuesOfPages } from "./Design.ts"

const OfExperiment = Schema.Struct({ id: inPath(ExperimentId) })

/** Experiments with a design: their arms, what they can show, and how they stand. */
export class ExperimentDesignsApi extends HttpApiGroup.make("experiment-designs")
  .annotateContext(about("Experiments with a design: their arms, what they can show, and how they stand."))
  .add(
    HttpApiEndpoint.post("assign", "/experiments/:id/assign")
      .annotateContext(
        described(
          "Assign pages to the arms",
          "Deals pages out to both arms of a draft with a design, which makes the verdict right about as often as it says. Pages with a click in the pre window are ordered by clicks and taken in pairs; a hash of seed and path decides which of a pair is treated. Each call is another draw, and is counted."
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
      summary: "Read what a design can show",
      description:
        "The smallest effects that the design finds in four of five experiments, for each length of the time after the change, by how the same pages moved in the past. Ask before the change: a design that cannot show what is hoped for needs more pages or more days.",
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
      summary: "Look at a running experiment",
      description:
        "The whole weeks since the change as they stand, with p-value and interval corrected for a look in each planned week. It serves to stop harm, never to end an experiment that looks good. Before the first whole week is final the answer is 409 `not_over`.",
      ids: OfExperiment,
      of: DesignPreview,
      scope: ExperimentsRead
    })
      .addError(failure("conflict", "not_over"))
      .addError(undecided)
  )
  .prefix("/api/v1") {}
