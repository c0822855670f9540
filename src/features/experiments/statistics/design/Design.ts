/** Experiments designed from page totals, as a library: no SQL, no API. */

export { type Arms, assigning, type Candidate } from "./Assign.ts"
export { DesignedAnalysis, DesignPower, DesignPreview, WarningCode } from "./DesignedAnalysis.ts"
export type { DesignFault } from "./DesignFault.ts"
export { evaluate, evaluating } from "./Evaluate.ts"
export type { Design, Lengths, Metric, Panel } from "./Panel.ts"
export { neededDays } from "./Placebo.ts"
export { postDays, powering } from "./Power.ts"
export { previewing } from "./Preview.ts"
export { knownFaults, type ReportingFault, reportingFaults } from "./ReportingFaults.ts"
export { type Warning, withWarnings } from "./Warnings.ts"
