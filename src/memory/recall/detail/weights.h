// The weights of recall, rounded by hand; the optimum is flat. Source: recall study, sections 2, 3.
#pragma once

namespace anima::memory::detail {

inline constexpr double kSaturation = 1.2;        // k1 of BM25
inline constexpr double kLengthInfluence = 0.75;  // b
inline constexpr double kSessionLengthInfluence = 0.5;
inline constexpr double kSessionWeight = 0.2;
inline constexpr double kNamedSpeakerBonus = 2.5;
inline constexpr double kAskerBonus = 5;
inline constexpr double kDateBonus = 3.0;
inline constexpr double kQuestionMalus = -0.6;
inline constexpr double kNameBonus = 0.7;
inline constexpr double kTimeBonus = 0.5;
inline constexpr double kFirstBonus = 0.5;
inline constexpr double kMeaningWeight = 5;  // of a cosine
inline constexpr double kEndedMalus = -0.6;  // of a link that holds no more; not of the study

}  // namespace anima::memory::detail
