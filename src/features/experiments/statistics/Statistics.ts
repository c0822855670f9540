/** The statistics of experiments as a pure module, usable without the service: Difference-in-Differences of conversion rates, and designs. */
export { analyse, erfc } from "./Analyse.ts"
export { Analysis } from "./Analysis.ts"
/** Experiments designed from weekly page totals: results for assigned and for chosen pages. */
export { DesignedAnalysis } from "./design/DesignedAnalysis.ts"
export type { DesignFault } from "./design/Estimate.ts"
export { evaluate as evaluateDesign } from "./design/Evaluate.ts"
export type { Design, Panel } from "./design/Panel.ts"
export { ArmMetrics, ExperimentMetrics, PageMetrics } from "./ExperimentMetrics.ts"
