"""Names that `import nextpair` gives."""

from nextpair import calls as calls
from nextpair import schemas as schemas
from nextpair.client import AsyncClient as AsyncClient
from nextpair.client import Client as Client
from nextpair.errors import ApiError as ApiError
from nextpair.errors import JudgeFailed as JudgeFailed
from nextpair.errors import NextpairError as NextpairError
from nextpair.errors import NoServer as NoServer
from nextpair.errors import Unreachable as Unreachable
from nextpair.ranked import RankedOutputs as RankedOutputs
from nextpair.ranking import rank as rank
from nextpair.resources.pairs import AsyncPairToJudge as AsyncPairToJudge
from nextpair.resources.pairs import PairsToJudge as PairsToJudge
from nextpair.resources.pairs import PairToJudge as PairToJudge
from nextpair.resources.sets import AsyncSet as AsyncSet
from nextpair.resources.sets import Set as Set
from nextpair.schemas import AbsoluteScoreIn as AbsoluteScoreIn
from nextpair.schemas import Budget as Budget
from nextpair.schemas import CandidateIn as CandidateIn
from nextpair.schemas import ComparisonIn as ComparisonIn
from nextpair.schemas import Goal as Goal
from nextpair.schemas import ItemIn as ItemIn
from nextpair.schemas import Selection as Selection
from nextpair.schemas import Stop as Stop
from nextpair.schemas import VerdictOf as VerdictOf
from nextpair.sending.streams import Event as Event
