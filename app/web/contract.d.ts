// The parts of the HTTP contract that pages read, by the names that the contract gives them.

declare namespace Contract {
  interface Problem {
    detail: string;
    errors?: FieldError[] | null;
  }

  interface FieldError {
    pointer: string;
    detail: string;
  }

  interface SetOut {
    id: string;
    comparisons: number;
    budget: Budget | null;
    stop: Stop | null;
  }

  interface Budget {
    max_comparisons: number | null;
  }

  interface Stop {
    entropy_change: number | null;
  }

  interface Shown {
    key: string;
    text: string | null;
  }

  interface ItemOut {
    key: string;
    prompt: string | null;
  }

  interface Assignment {
    id: string;
    judge: string;
    first: Shown;
    second: Shown;
    item: ItemOut | null;
  }

  type Status = "open" | "all_leased" | "exhausted" | "cannot_converge" | "budget_reached" | "converged" | "paused";

  type InferenceTargetName = "all-pairs" | "new-items" | "people" | "latent";

  interface Assignments {
    status: Status;
    assignments: Assignment[];
  }

  interface Preview {
    status: Status;
  }

  interface Held {
    held: Lease[];
  }

  interface Lease {
    id: string;
  }

  interface JudgeOut {
    kind: "human" | "llm" | null;
    model: string | null;
    cost_per_1000: number | null;
  }

  interface Comparison {
    seq: number;
  }

  interface ComparisonsAccepted {
    version: number;
  }

  interface CandidatePage {
    candidates: CandidateOut[];
    next_after: string | null;
  }

  interface CandidateOut {
    key: string;
    text: string | null;
  }

  interface Stopping {
    forecast: number | null;
    forecast_interval: [number, number | null] | null;
  }

  interface Ranking {
    version: number;
    newer_version: number | null;
    comparisons: number;
    method: Method;
    inference_target: InferenceTarget;
    prompts: Prompts | null;
    sureness: Sureness | null;
    certainty: Certainty;
    signal: Signal;
    first_place: string;
    stopping: Stopping | null;
    position_bias: Record<string, JudgeBias> | null;
    ranking: Rank[];
  }

  interface InferenceTarget {
    name: InferenceTargetName;
    sentence: string;
    also: InferenceTargetName[];
  }

  interface Prompts {
    sentence: string;
  }

  interface Certainty {
    about: string;
    agreement_with_people: AgreementWithPeople | null;
    temperature: Record<string, Temperature> | null;
  }

  interface AgreementWithPeople {
    pairs: number;
    share: number;
    interval: [number, number];
  }

  interface Temperature {
    temperature: number;
  }

  interface Sureness {
    concordance: number;
    pairs: number;
    interval: [number, number];
    forecast: Foretold[];
  }

  interface Foretold {
    comparisons: number;
    concordance: number;
  }

  interface Signal {
    e_value: number;
    claimed: boolean;
    verdicts: number;
  }

  interface Method {
    level: number;
  }

  interface Rank {
    key: string;
    rank: number;
    score: number;
    interval: [number, number] | null;
    rank_interval: [number, number] | null;
    p_best: number | null;
    tie_group: number | null;
    win_rate: number | null;
    win_rate_interval: [number, number] | null;
    comparisons: number;
  }

  interface JudgeBias {
    delta: number;
    sd: number;
    discrimination: number | null;
    discrimination_sd: number | null;
    warning: string | null;
  }

  interface Tastes {
    sd: number;
    departures: Departure[];
  }

  interface Departure {
    key: string;
    departure: number;
    sd: number;
  }

  interface Trust {
    version: number;
    newer_version: number | null;
    checks: Check[];
  }

  interface Check {
    name: string;
    verdict: "holds" | "doubt" | "unknown";
    says: string;
    figure: string;
  }

  interface Diagnostics {
    judges: Record<string, JudgeDiagnostics>;
  }

  interface JudgeDiagnostics {
    comparisons: number;
  }

  interface Matrix {
    keys: string[];
    cells: string;
  }

  interface Judges {
    people: People;
    warnings: string[];
    judges: JudgeCard[];
    agreement: PairAgreement[];
    alpha: Alpha | null;
  }

  interface People {
    summary: string;
    judge_next: UnjudgedPair[];
  }

  interface UnjudgedPair {
    first: string;
    second: string;
  }

  interface JudgeCard {
    judge: string;
    kind: "human" | "llm" | null;
    model: string | null;
    comparisons: number;
    cost: number | null;
    median_latency_ms: number | null;
    failure_rate: number | null;
    skill: number | null;
    agreement_with_people: Rightness | null;
    agreement: Agreement | null;
    swapped: Agreement | null;
    position_bias: JudgeBias | null;
    tastes: Tastes | null;
    accord: Accord | null;
    influence: Influence | null;
  }

  interface Rightness {
    pairs: number;
    share: number;
    interval: [number, number];
  }

  interface Agreement {
    share: number | null;
  }

  interface PairAgreement {
    judges: [string, string];
    pairs: number;
    share: number | null;
    kappa: number | null;
    kappa_interval: [number, number] | null;
  }

  interface Alpha {
    value: number;
    interval: [number, number];
    pairs: number;
    drawn: boolean;
  }

  interface DisputePage {
    disputes: Dispute[];
    next_after: number | null;
  }

  interface Dispute {
    item: ItemOut | null;
    first: Shown;
    second: Shown;
    verdicts: JudgeVerdict[];
  }

  interface JudgeVerdict {
    judge: string;
    kind: "human" | "llm" | null;
    p_first: number;
    winner: "first" | "second" | "tie";
  }

  interface Accord {
    overall: number;
  }

  interface Influence {
    changes_top: boolean;
    largest_move: number;
  }
}

// Swagger UI's own script, which is no module.
declare function SwaggerUIBundle(options: object): void;
